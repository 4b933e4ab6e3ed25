/** Owns the Auth service: its timeout, and the conversion of errors to responses (docs/compat/auth.md 1). */

import {
  BodyBroken,
  isArriving,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import { type TellLater, tellingLater } from "../http/later-notes.ts";
import { ForeignRefused } from "../http/secret-rights.ts";
import type { ServiceContext } from "../service-context.ts";
import { createAuth } from "./compose.ts";
import { captchaNeeded, checkCaptcha } from "./endpoints/captcha.ts";
import type { Auth, AuthFeatures } from "./kit/auth.ts";
import {
  AuthError,
  codeOf,
  errorResponse,
  isUnstorable,
  OAuthError,
  usesVersionedErrors,
} from "./kit/errors.ts";
import { laterThanHosted } from "./kit/newer-calls.ts";
import { readRequest } from "./kit/request-fields.ts";
import { route } from "./routes.ts";

type Answer = ServiceResponse | Promise<ServiceResponse>;

const EXPOSED = "X-Total-Count, Link, X-Supabase-Api-Version";

/** Creates the service. @param features what wings bring */
export async function createAuthService(
  context: ServiceContext,
  features: AuthFeatures = {},
): Promise<Service> {
  const auth = await createAuth(context, features);
  const tellLater = tellingLater(context.log, context.config.strict);
  return {
    handle: async (source: ServiceRequest) => {
      const response = await answer(auth, source, tellLater);
      response.headers["access-control-expose-headers"] = EXPOSED;
      return response;
    },
    close: async () => {},
  };
}

async function answer(auth: Auth, source: ServiceRequest, tellLater: TellLater): Promise<ServiceResponse> {
  try {
    const request = readRequest(source);
    tellLater(source.record, laterThanHosted(request.segments));
    if (auth.requestLimits.on) await auth.requestLimits.take(request);
    const answered = captchaNeeded(auth, request)
      ? checkCaptcha(auth, request).then(() => route(auth, request))
      : route(auth, request);
    return await withTimeout(auth, source, answered);
  } catch (error) {
    if (error instanceof ForeignRefused) throw error;
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
    // The response's own code of a failed hook is that of any failure.
    const failed = error instanceof AuthError && error.ofHook && error.status >= 500;
    if (source.record) source.record.code = failed ? "hook_failed" : codeOf(error);
    return errorResponse(error, usesVersionedErrors(source.headers["x-supabase-api-version"]), source.id);
  }
}

/**
 * Fails an endpoint that exceeds the timeout; its work continues, and the result is dropped.
 * @throws AuthError 504, or 408 when it waited for the rest of the body
 */
async function withTimeout(auth: Auth, { body }: ServiceRequest, answered: Answer): Promise<ServiceResponse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      if (isArriving(body)) {
        reject(new AuthError(408, "request_timeout", "The request body did not arrive in time."));
        return;
      }
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
