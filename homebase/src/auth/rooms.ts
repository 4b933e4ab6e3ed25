/**
 * Owns the features of Auth that are loaded when first used. A line here is all that names a feature's folder: without
 * both, its requests respond 501.
 */
import type { ServiceResponse } from "../http/exchange.ts";
import type { Auth } from "./kit/auth.ts";
import type { AuthEndpoint } from "./kit/endpoint.ts";
import { notImplemented } from "./kit/errors.ts";

interface Room {
  endpoint: AuthEndpoint<never>;
  /** Checks the settings; called by the start where the feature is on. @throws ConfigError */
  prepare?: (auth: Auth) => void;
}
type Name = "SAML" | "the OAuth server" | "wallets";

const ROOMS: Partial<Record<Name, () => Promise<Room>>> = {
  SAML: () => import("../../wings/saml/endpoints.ts"),
  "the OAuth server": () => import("../../wings/oauth-server/endpoints.ts"),
  wallets: () => import("../../wings/wallets/sign-in.ts"),
};

/** The endpoint of a feature. */
export function inRoom(name: Name) {
  return async (...[auth, request, values]: Parameters<AuthEndpoint<never>>): Promise<ServiceResponse> => {
    const room = await ROOMS[name]?.();
    if (!room) throw notImplemented(name);
    return room.endpoint(auth, request, values);
  };
}

/** Has a broken key of SAML end the start. @throws ConfigError */
export async function prepareRooms(auth: Auth): Promise<void> {
  if (auth.settings.samlEnabled) (await ROOMS.SAML?.())?.prepare?.(auth);
}
