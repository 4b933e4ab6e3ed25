/** Owns making Auth for a Backend. */
import type { ServiceContext } from "../service-context.ts";
import { prepareFeatures } from "./features.ts";
import type { Auth, AuthFeatures } from "./kit/auth.ts";
import { RedirectList } from "./kit/redirect-list.ts";
import { RequestLimits } from "./kit/request-limits.ts";
import { readSettings } from "./kit/settings.ts";

/** @throws ConfigError */
export async function createAuth(context: ServiceContext, features: AuthFeatures): Promise<Auth> {
  const { auth: config } = context.config;
  const settings = readSettings(context);
  const auth = {
    context,
    config,
    settings,
    redirects: new RedirectList(config.site_url, config.additional_redirect_urls),
    requestLimits: new RequestLimits(
      context.clock,
      { ...config.rate_limit, assertions: settings.assertionLimit },
      settings.limitHeader,
    ),
    features,
  };
  await prepareFeatures(auth);
  return auth;
}
