/**
 * Owns the Auth service: which stage answers which path, and how what they throw becomes an answer
 * (compat/auth.md 1).
 */

import { BodyBroken, type Service, type ServiceRequest, type ServiceResponse } from "../http/exchange.ts";
import type { ServiceContext } from "../service/context.ts";
import { listAudit } from "./audit-list.ts";
import { captchaNeeded, checkCaptcha } from "./captcha.ts";
import { type Auth, createAuth } from "./dependencies.ts";
import { health, jwks, openidConfiguration, settings } from "./discovery.ts";
import {
  AuthError,
  errorResponse,
  isUnstorable,
  notFound,
  notImplemented,
  OAuthError,
  usesVersionedErrors,
} from "./errors.ts";
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
import { generateLink, invite } from "./mail/admin-links.ts";
import { magiclink, otp, recover, resend } from "./mail/otp.ts";
import { verifyGet, verifyPost } from "./mail/verify.ts";
import { oauthServer } from "./oauth-server/clients.ts";
import {
  createCustomProvider,
  deleteCustomProvider,
  getCustomProvider,
  listCustomProviders,
  updateCustomProvider,
} from "./providers/admin-custom-providers.ts";
import { authorize, callback, linkIdentity } from "./providers/oauth.ts";
import { type AuthRequest, readRequest } from "./request.ts";
import { token } from "./sessions/token.ts";
import { consentPage } from "./stand-in/consent-page.ts";
import * as absent from "./unsupported.ts";
import { getUser, logout, reauthenticate, updateAccount } from "./users/account.ts";
import { createByAdmin, deleteByAdmin, getByAdmin, listUsers, updateByAdmin } from "./users/admin-users.ts";
import { unlinkIdentity } from "./users/identities.ts";
import { signup } from "./users/signup.ts";

type Answer = ServiceResponse | Promise<ServiceResponse>;
type Handler = (auth: Auth, request: AuthRequest) => Answer;

/** Endpoints without a variable part, by method and path. */
const ROUTES: Record<string, Handler> = {
  "GET health": () => health(),
  "GET settings": settings,
  "GET .well-known/jwks.json": jwks,
  "GET .well-known/openid-configuration": openidConfiguration,
  "POST signup": signup,
  "POST token": token,
  "POST otp": otp,
  "POST magiclink": magiclink,
  "POST recover": recover,
  "POST resend": resend,
  "GET verify": verifyGet,
  "POST verify": verifyPost,
  "GET user": getUser,
  "PUT user": updateAccount,
  "GET reauthenticate": reauthenticate,
  "POST logout": logout,
  "GET user/identities/authorize": linkIdentity,
  "POST invite": invite,
  "GET admin/users": listUsers,
  "POST admin/users": createByAdmin,
  "POST admin/generate_link": generateLink,
  "GET admin/audit": listAudit,
  "POST factors": enrollFactor,
  "GET authorize": authorize,
  "GET callback": callback,
  "POST callback": callback,
  "POST passkeys/registration/options": registrationOptions,
  "POST passkeys/registration/verify": registerPasskey,
  "POST passkeys/authentication/options": authenticationOptions,
  "POST passkeys/authentication/verify": signInByPasskey,
  "GET passkeys": listPasskeys,
  "GET admin/custom-providers": listCustomProviders,
  "POST admin/custom-providers": createCustomProvider,
};

const EXPOSED = "X-Total-Count, Link, X-Supabase-Api-Version";

/** Makes the service. */
export function createAuthService(context: ServiceContext): Service {
  const auth = createAuth(context);
  return {
    handle: async (source: ServiceRequest) => {
      const response = await answer(auth, source);
      response.headers["access-control-expose-headers"] = EXPOSED;
      return response;
    },
    close: async () => {},
  };
}

async function answer(auth: Auth, source: ServiceRequest): Promise<ServiceResponse> {
  try {
    const request = readRequest(source);
    if (auth.requestLimits.on) await auth.requestLimits.take(request);
    return await withTimeout(auth, route(auth, request));
  } catch (error) {
    const expected =
      error instanceof OAuthError ||
      error instanceof BodyBroken ||
      isUnstorable(error) ||
      (error instanceof AuthError && (error.status < 500 || error.status === 501));
    if (!expected) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      auth.context.log.error(`${source.method} ${source.path} failed`, {
        id: source.id,
        error: error instanceof Error ? error.message : String(error),
        cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
      });
    }
    return errorResponse(error, usesVersionedErrors(source.headers["x-supabase-api-version"]), source.id);
  }
}

/** What takes too long is answered for; its work goes on and its outcome is nobody's. @throws AuthError 504 */
async function withTimeout(auth: Auth, answered: Answer): Promise<ServiceResponse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = "Processing this request timed out, please retry after a moment.";
      reject(new AuthError(504, "request_timeout", message));
    }, auth.settings.requestMs);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}

function route(auth: Auth, request: AuthRequest): Answer {
  const { method, segments } = request;
  const path = segments.join("/");
  const handler = ROUTES[`${method === "HEAD" ? "GET" : method} ${path}`];
  if (handler) {
    if (!captchaNeeded(auth, request)) return handler(auth, request);
    return checkCaptcha(auth, request).then(() => handler(auth, request));
  }
  const [first, second, third = ""] = segments;
  if (first === "user" && second === "identities" && third && method === "DELETE") {
    return unlinkIdentity(auth, request, third);
  }
  if (first === "admin" && second === "custom-providers" && segments.length === 3) {
    if (method === "GET") return getCustomProvider(auth, request, third);
    if (method === "PUT") return updateCustomProvider(auth, request, third);
    if (method === "DELETE") return deleteCustomProvider(auth, request, third);
  }
  if (first === "admin" && second === "users" && segments.length === 3) {
    if (method === "GET") return getByAdmin(auth, request, third);
    if (method === "PUT") return updateByAdmin(auth, request, third);
    if (method === "DELETE") return deleteByAdmin(auth, request, third);
  }
  return factorRoute(auth, request) ?? passkeyRoute(auth, request) ?? notServed(auth, request);
}

/** Second factors: /factors/{id}… and /admin/users/{id}/factors… */
function factorRoute(auth: Auth, request: AuthRequest): Answer | undefined {
  const { method, segments } = request;
  const [first, second = "", third = "", fourth, fifth = ""] = segments;
  if (first === "factors" && segments.length === 2 && method === "DELETE") {
    return unenrollFactor(auth, request, second);
  }
  if (first === "factors" && segments.length === 3 && method === "POST") {
    if (third === "challenge") return challengeFactor(auth, request, second);
    if (third === "verify") return verifyFactor(auth, request, second);
  }
  if (first !== "admin" || second !== "users" || fourth !== "factors") return undefined;
  if (segments.length === 4 && method === "GET") return listFactorsByAdmin(auth, request, third);
  if (segments.length === 5 && method === "PUT") return updateFactorByAdmin(auth, request, third, fifth);
  if (segments.length === 5 && method === "DELETE") return deleteFactorByAdmin(auth, request, third, fifth);
  return undefined;
}

/** Passkeys: /passkeys/{id} and /admin/users/{id}/passkeys… */
function passkeyRoute(auth: Auth, request: AuthRequest): Answer | undefined {
  const { method, segments } = request;
  const [first, second = "", third = "", fourth, fifth = ""] = segments;
  if (first === "passkeys" && segments.length === 2) {
    if (method === "PATCH") return renamePasskey(auth, request, second);
    if (method === "DELETE") return removePasskey(auth, request, second);
  }
  if (first !== "admin" || second !== "users" || fourth !== "passkeys") return undefined;
  if (segments.length === 4 && method === "GET") return listPasskeysByAdmin(auth, request, third);
  if (segments.length === 5 && method === "DELETE") return removePasskeyByAdmin(auth, request, third, fifth);
  return undefined;
}

function notServed(auth: Auth, request: AuthRequest): Answer {
  switch (request.segments[0]) {
    case "homebase":
      return consentPage(auth, request);
    case "sso":
      return absent.sso();
    case "oauth":
      return oauthServer(auth, request);
    case "scim":
      return absent.scim();
    case ".well-known":
      if (request.segments[1] !== "oauth-authorization-server")
        throw notFound("unknown", "404 page not found");
      return oauthServer(auth, request);
    case "user":
      if (request.segments[1] !== "oauth") throw notFound("unknown", "404 page not found");
      return oauthServer(auth, request);
    case "admin":
      if (request.segments[1] === "oauth") return oauthServer(auth, request);
      if (request.segments[1] === "sso") return absent.ssoProviders(auth, request);
      throw notImplemented(`${request.method} /${request.segments.join("/")}`);
    default:
      throw notFound("unknown", "404 page not found");
  }
}
