/** Owns making Auth for a Backend. */
import type { ServiceContext } from "../service-context.ts";
import type { Auth } from "./kit/auth.ts";
import { RedirectList } from "./kit/redirect-list.ts";
import { RequestLimits } from "./kit/request-limits.ts";
import { readSettings } from "./kit/settings.ts";
import { prepareRooms } from "./rooms.ts";

/** @throws ConfigError */
export async function createAuth(context: ServiceContext): Promise<Auth> {
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
  };
  await prepareRooms(auth);
  return auth;
}
