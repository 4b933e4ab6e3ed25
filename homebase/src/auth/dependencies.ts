/** Owns the dependencies of every Auth stage: the Backend's context and the settings derived from it. */
import type { Config } from "../config/config.ts";
import type { ServiceContext } from "../service-context.ts";
import { RequestLimits } from "./limits/request-limits.ts";
import { CodeGuesses } from "./mail/code-guesses.ts";
import { Mailer } from "./mail/mailer.ts";
import { SendLimits } from "./mail/send-limits.ts";
import { OidcClient } from "./providers/oidc.ts";
import { RedirectList } from "./redirect-list.ts";
import { ServiceProvider } from "./saml/service-provider.ts";
import { assertionLimit, readSamlSettings } from "./saml/settings.ts";
import { readSettings, type Settings } from "./settings.ts";
import { Consents } from "./stand-in/provider-accounts.ts";
import { StandInKeys } from "./stand-in/signing-key.ts";

/** The Backend's context and the settings derived from it; passed to every Auth stage. */
export interface Auth {
  readonly context: ServiceContext;
  readonly config: Config["auth"];
  readonly settings: Settings;
  readonly mailer: Mailer;
  readonly redirects: RedirectList;
  readonly limits: SendLimits;
  readonly requestLimits: RequestLimits;
  readonly guesses: CodeGuesses;
  readonly consents: Consents;
  readonly standIn: StandInKeys;
  /** Undefined while SAML is off. */
  readonly saml: ServiceProvider | undefined;
  readonly oidc: OidcClient;
}

export function createAuth(context: ServiceContext): Auth {
  const config = context.config.auth;
  const settings = readSettings(context);
  const { environment } = context.config;
  const saml = readSamlSettings(environment);
  const standIn = new StandInKeys(context.clock, settings.externalUrl);
  return {
    context,
    config,
    settings,
    mailer: new Mailer(context, settings),
    redirects: new RedirectList(config.site_url, config.additional_redirect_urls),
    limits: new SendLimits(context, settings),
    requestLimits: new RequestLimits(
      context.clock,
      { ...config.rate_limit, assertions: assertionLimit(environment) },
      settings.limitHeader,
    ),
    guesses: new CodeGuesses(context.clock),
    consents: new Consents(context.clock),
    standIn,
    saml: saml && new ServiceProvider(saml, settings),
    oidc: new OidcClient(context.clock, standIn),
  };
}

/** The Backend's current time in the format of the tables. */
export function currentTime(auth: Auth): string {
  return new Date(auth.context.clock.now()).toISOString();
}
