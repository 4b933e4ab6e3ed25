/** Owns POST /token: one function for each grant (docs/compat/auth.md 1). */
import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { inFeature } from "../features.ts";
import { readerOf, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { formatPhone } from "../kit/client-input.ts";
import { badRequest, forbidden, notFound, unprocessable, validationFailed } from "../kit/errors.ts";
import { hookEnabled, runHook } from "../kit/hooks.ts";
import { type AuthRequest, fields } from "../kit/request-fields.ts";
import { redeemCode } from "../sessions/flow-state.ts";
import { refreshGrant } from "../sessions/refresh.ts";
import { beginSession, endSessions, sessionResponse } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import { verifyDecoyPassword, verifyPassword, weakness } from "../users/passwords.ts";
import { audienceOf } from "../users/signed-in-caller.ts";
import { hasPassword, isBanned, isConfirmed, isPhoneConfirmed, type User } from "../users/user.ts";
import { findByEmail, findById, findByPhone } from "../users/users.ts";
import { idTokenGrant } from "./id-token.ts";

/** POST /token */
export function token(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  switch (request.query.get("grant_type")) {
    case "password":
      return passwordGrant(auth, request);
    case "refresh_token":
      return refreshGrant(auth, request);
    case "pkce":
      return pkceGrant(auth, request);
    case "id_token":
      return idTokenGrant(auth, request);
    case "web3":
      return inFeature("wallets")(auth, request);
    default:
      throw badRequest("invalid_credentials", "unsupported_grant_type");
  }
}

const passwordBody = z.object({
  email: z.string().default(""),
  phone: z.string().default(""),
  password: z.string().default(""),
});

const wrongCredentials = () => badRequest("invalid_credentials", "Invalid login credentials");

async function passwordGrant(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, passwordBody);
  if (given.email !== "" && given.phone !== "") {
    throw validationFailed("Only an email address or phone number should be provided on login.");
  }
  const user = await findForLogin(auth, request, given);
  if (!user || !hasPassword(user)) {
    await verifyDecoyPassword(given.password);
    throw wrongCredentials();
  }
  if (isBanned(user, auth.context.clock.now())) throw badRequest("user_banned", "User is banned");
  // bcrypt runs before a connection is acquired, so that a burst of sign-ins holds no connections while
  // hashing.
  const valid = await verifyPassword(given.password, user.row.encrypted_password ?? "");
  if (!valid && !hookEnabled(auth, "password_verification_attempt")) throw wrongCredentials();
  const granted = await transact(auth, request, async (call) => {
    const decision = await runHook(call, "password_verification_attempt", {
      user_id: user.row.id,
      valid,
    });
    if (decision?.decision === "reject") {
      if (decision.should_logout_user) endSessions(call, user.row.id, "global", undefined);
      const message =
        typeof decision.message === "string" && decision.message
          ? decision.message
          : "Invalid login credentials";
      throw badRequest("invalid_credentials", message).keepingWrites();
    }
    if (!valid) throw wrongCredentials();
    if (given.email !== "" && !isConfirmed(user)) {
      throw badRequest("email_not_confirmed", "Email not confirmed");
    }
    if (given.phone !== "" && !isPhoneConfirmed(user)) {
      throw badRequest("phone_not_confirmed", "Phone not confirmed");
    }
    audit(call, "login", user, { provider: given.email !== "" ? "email" : "phone" });
    return beginSession(call, user, "password");
  });
  const weak = weakness(auth.config, given.password);
  return sessionResponse(auth, granted, weak ? { weak_password: weak } : {});
}

function findForLogin(
  auth: Auth,
  request: AuthRequest,
  given: { email: string; phone: string },
): Promise<User | undefined> {
  const reader = readerOf(auth.context.database);
  if (given.email !== "") {
    if (!auth.settings.emailEnabled)
      throw unprocessable("email_provider_disabled", "Email logins are disabled");
    return findByEmail(reader, given.email, audienceOf(request));
  }
  if (given.phone !== "") {
    if (!auth.settings.phoneEnabled)
      throw unprocessable("phone_provider_disabled", "Phone logins are disabled");
    return findByPhone(reader, formatPhone(given.phone), audienceOf(request));
  }
  throw validationFailed("missing email or phone");
}

const pkceBody = z.object({ auth_code: z.string().default(""), code_verifier: z.string().default("") });

async function pkceGrant(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { auth_code: code, code_verifier: verifier } = await fields(request, pkceBody);
  if (code === "" || verifier === "") {
    throw validationFailed("invalid request: both auth code and code verifier should be non-empty");
  }
  return transact(auth, request, async (call) => {
    const flow = await redeemCode(call, code, verifier);
    const user = await findById(call, flow.user_id ?? "");
    if (!user) throw notFound("user_not_found", "User not found");
    if (isBanned(user, auth.context.clock.now())) throw forbidden("user_banned", "User is banned");
    audit(call, "login", user, { provider_type: flow.provider_type });
    const granted = await beginSession(call, user, flow.authentication_method);
    return sessionResponse(auth, granted, {
      ...(flow.provider_access_token ? { provider_token: flow.provider_access_token } : {}),
      ...(flow.provider_refresh_token ? { provider_refresh_token: flow.provider_refresh_token } : {}),
    });
  });
}
