/** Owns calling a feature of Auth that a wing brings; without the wing its requests respond 501. */
import type { ServiceResponse } from "../http/exchange.ts";
import type { Auth, AuthFeature } from "./kit/auth.ts";
import { notImplemented } from "./kit/errors.ts";
import type { AuthRequest } from "./kit/request-fields.ts";

/** The endpoint of a feature. */
export function inFeature(name: AuthFeature) {
  return async (auth: Auth, request: AuthRequest): Promise<ServiceResponse> => {
    const feature = await auth.features[name]?.();
    if (!feature) throw notImplemented(name);
    return feature.endpoint(auth, request);
  };
}

/** Has a broken key of SAML end the start. @throws ConfigError */
export async function prepareFeatures(auth: Auth): Promise<void> {
  if (auth.settings.samlEnabled) (await auth.features.SAML?.())?.prepare?.(auth);
}
