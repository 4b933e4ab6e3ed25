/** Owns making Auth for a Backend. */
import type { ServiceContext } from "../service-context.ts";
import type { Auth } from "./kit/auth.ts";
import { RedirectList } from "./kit/redirect-list.ts";
import { RequestLimits } from "./kit/request-limits.ts";
import { readSettings } from "./kit/settings.ts";
import { serviceProvider } from "./saml/service-provider.ts";
import { assertionLimit } from "./saml/settings.ts";

export function createAuth(context: ServiceContext): Auth {
  const { auth: config, environment } = context.config;
  const settings = readSettings(context);
  const auth = {
    context,
    config,
    settings,
    redirects: new RedirectList(config.site_url, config.additional_redirect_urls),
    requestLimits: new RequestLimits(
      context.clock,
      { ...config.rate_limit, assertions: assertionLimit(environment) },
      settings.limitHeader,
    ),
  };
  // A broken key of SAML is an error of the start.
  serviceProvider(auth);
  return auth;
}
