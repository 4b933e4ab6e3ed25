/** Owns making Auth for a Backend. */
import type { ServiceContext } from "../service-context.ts";
import type { Auth } from "./dependencies.ts";
import { RequestLimits } from "./limits/request-limits.ts";
import { RedirectList } from "./redirect-list.ts";
import { serviceProvider } from "./saml/service-provider.ts";
import { assertionLimit } from "./saml/settings.ts";
import { readSettings } from "./settings.ts";

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
