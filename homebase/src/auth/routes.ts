/** Owns the route table of Auth (docs/compat/auth.md 1). */

import type { ServiceResponse } from "../http/exchange.ts";
import { type Route, Router } from "../http/router.ts";
import { getUser, logout, reauthenticate, updateAccount } from "./endpoints/account.ts";
import { generateLink, invite } from "./endpoints/admin-links.ts";
import {
  createByAdmin,
  deleteByAdmin,
  getByAdmin,
  listUsers,
  updateByAdmin,
} from "./endpoints/admin-users.ts";
import { listAudit } from "./endpoints/audit.ts";
import {
  createCustomProvider,
  deleteCustomProvider,
  getCustomProvider,
  listCustomProviders,
  updateCustomProvider,
} from "./endpoints/custom-providers.ts";
import { health, jwks, settings } from "./endpoints/discovery.ts";
import { unlinkIdentity } from "./endpoints/identities.ts";
import { authorize, callback, linkIdentity } from "./endpoints/oauth.ts";
import { magiclink, otp, recover, resend } from "./endpoints/otp.ts";
import { signup } from "./endpoints/signup.ts";
import { avatar, consentPage } from "./endpoints/stand-in/consent-page.ts";
import { issuerConfiguration, issuerKeys, issuerToken } from "./endpoints/stand-in/issuer.ts";
import { token } from "./endpoints/token.ts";
import { scim } from "./endpoints/unsupported.ts";
import { verifyGet, verifyPost } from "./endpoints/verify.ts";
import { deleteFactorByAdmin, listFactorsByAdmin, updateFactorByAdmin } from "./factors/admin-factors.ts";
import { challengeFactor, verifyFactor } from "./factors/challenges.ts";
import { enrollFactor, unenrollFactor } from "./factors/factors.ts";
import { authenticationOptions, signInByPasskey } from "./factors/passkey-sign-in.ts";
import {
  listPasskeys,
  listPasskeysByAdmin,
  registerPasskey,
  registrationOptions,
  removePasskey,
  removePasskeyByAdmin,
  renamePasskey,
} from "./factors/passkeys.ts";
import {
  deleteRecoveryCodes,
  generateRecoveryCodes,
  recoveryCodes,
  regenerateRecoveryCodes,
  verifyRecoveryCode,
} from "./factors/recovery-codes.ts";
import { inFeature } from "./features.ts";
import type { Auth } from "./kit/auth.ts";
import type { AuthEndpoint } from "./kit/endpoint.ts";
import { notFound, notImplemented } from "./kit/errors.ts";
import { openidConfiguration } from "./kit/openid-configuration.ts";
import type { AuthRequest } from "./kit/request-fields.ts";
import { forAdmins } from "./users/signed-in-caller.ts";

type Endpoint = AuthEndpoint<Name>;
type Name = "id" | "factor" | "passkey" | "provider";

/** GET routes that act: scanners of mail ask for links by HEAD, which must not consume them. */
const ACTIONS: Record<string, Endpoint> = {
  "/verify": verifyGet,
  "/user/identities/authorize": linkIdentity,
  "/reauthenticate": reauthenticate,
  "/authorize": authorize,
  "/callback": callback,
};

const ADMIN_ROUTES: readonly Route<Endpoint>[] = [
  ["GET", "/admin/users", listUsers],
  ["GET", "/admin/users/:id", getByAdmin],
  ["GET", "/admin/users/:id/factors", listFactorsByAdmin],
  ["GET", "/admin/users/:id/passkeys", listPasskeysByAdmin],
  ["GET", "/admin/audit", listAudit],
  ["GET", "/admin/custom-providers", listCustomProviders],
  ["GET", "/admin/custom-providers/:id", getCustomProvider],
  ["POST", "/invite", invite],
  ["POST", "/admin/generate_link", generateLink],
  ["POST", "/admin/users", createByAdmin],
  ["PUT", "/admin/users/:id", updateByAdmin],
  ["DELETE", "/admin/users/:id", deleteByAdmin],
  ["PUT", "/admin/users/:id/factors/:factor", updateFactorByAdmin],
  ["DELETE", "/admin/users/:id/factors/:factor", deleteFactorByAdmin],
  ["DELETE", "/admin/users/:id/passkeys/:passkey", removePasskeyByAdmin],
  ["POST", "/admin/custom-providers", createCustomProvider],
  ["PUT", "/admin/custom-providers/:id", updateCustomProvider],
  ["DELETE", "/admin/custom-providers/:id", deleteCustomProvider],
];

const ROUTES: readonly Route<Endpoint>[] = [
  ...Object.entries(ACTIONS).flatMap(([path, endpoint]): Route<Endpoint>[] => [
    ["GET", path, endpoint],
    ["HEAD", path, () => ({ status: 405, headers: { allow: "GET" }, body: "" })],
  ]),
  ["GET", "/health", () => health()],
  ["GET", "/settings", settings],
  ["GET", "/.well-known/jwks.json", jwks],
  ["GET", "/.well-known/openid-configuration", openidConfiguration],
  ["GET", "/user", getUser],
  ["GET", "/factors/recovery-codes", recoveryCodes],
  ["GET", "/passkeys", listPasskeys],
  ["POST", "/signup", signup],
  ["POST", "/token", token],
  ["POST", "/otp", otp],
  ["POST", "/magiclink", magiclink],
  ["POST", "/recover", recover],
  ["POST", "/resend", resend],
  ["POST", "/verify", verifyPost],
  ["PUT", "/user", updateAccount],
  ["DELETE", "/user/identities/:id", unlinkIdentity],
  ["POST", "/logout", logout],
  ["POST", "/callback", callback],
  ["POST", "/factors", enrollFactor],
  ["POST", "/factors/recovery-codes", generateRecoveryCodes],
  ["DELETE", "/factors/recovery-codes", deleteRecoveryCodes],
  ["POST", "/factors/recovery-codes/verify", verifyRecoveryCode],
  ["POST", "/factors/recovery-codes/regenerate", regenerateRecoveryCodes],
  ["DELETE", "/factors/:id", unenrollFactor],
  ["POST", "/factors/:id/challenge", challengeFactor],
  ["POST", "/factors/:id/verify", verifyFactor],
  ["POST", "/passkeys/registration/options", registrationOptions],
  ["POST", "/passkeys/registration/verify", registerPasskey],
  ["POST", "/passkeys/authentication/options", authenticationOptions],
  ["POST", "/passkeys/authentication/verify", signInByPasskey],
  ["PATCH", "/passkeys/:id", renamePasskey],
  ["DELETE", "/passkeys/:id", removePasskey],
  ...forAdmins(ADMIN_ROUTES),
  ["GET", "/homebase/oauth/avatar", avatar],
  ["GET", "/homebase/oauth/:provider/authorize", consentPage],
  ["POST", "/homebase/oauth/:provider/authorize", consentPage],
  ["GET", "/homebase/oauth/:provider/.well-known/openid-configuration", issuerConfiguration],
  ["GET", "/homebase/oauth/:provider/jwks", issuerKeys],
  ["POST", "/homebase/oauth/:provider/token", issuerToken],
  ...below("/oauth", inFeature("the OAuth server")),
  ...below("/.well-known/oauth-authorization-server", inFeature("the OAuth server")),
  ...below("/user/oauth", inFeature("the OAuth server")),
  ...below("/admin/oauth", inFeature("the OAuth server")),
  ...below("/sso", inFeature("SAML")),
  ...below("/admin/sso", inFeature("SAML")),
  ...below("/scim", scim),
  // Upstream's admin API is larger than this one; the error for an unknown path must say so, not look like a
  // typing mistake.
  ...below("/admin", (_auth, { method, segments }) => {
    throw notImplemented(`${method} /${segments.join("/")}`);
  }),
];

const router = new Router<Endpoint, Name>(ROUTES);

/** Dispatches a request to its route. @throws AuthError 404 when none matches. */
export function route(auth: Auth, request: AuthRequest): ServiceResponse | Promise<ServiceResponse> {
  const found = router.match(request.method, request.segments);
  if (!found) throw notFound("unknown", "404 page not found");
  return found.handler(auth, request, found.values);
}

/** Matches every method on a path and its subpaths. */
function below(path: string, endpoint: AuthEndpoint<never>): Route<Endpoint>[] {
  return [
    ["*", path, endpoint],
    ["*", `${path}/*rest`, endpoint],
  ];
}
