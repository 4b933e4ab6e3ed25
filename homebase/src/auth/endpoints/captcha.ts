/**
 * Owns captcha protection: which requests need a token, and its verification by the provider
 * (docs/compat/auth.md 0, 1).
 */
import { z } from "zod";
import { answerJson } from "../../http/bounded-answer.ts";
import type { Auth } from "../kit/auth.ts";
import { type AuthError, badRequest, unexpected } from "../kit/errors.ts";
import { type AuthRequest, bodyMembers } from "../kit/request-fields.ts";
import { ADMIN_ROLES, tokenClaims } from "../users/signed-in-caller.ts";

const PROTECTED = new Set(["signup", "token", "otp", "magiclink", "recover", "resend", "sso"]);
const EXEMPT_GRANTS = new Set(["refresh_token", "pkce", "id_token"]);
const TIMEOUT_MS = 10_000;
/**
 * HOMEBASE_CAPTCHA_VERIFY_URL in the environment overrides the provider's URL, e.g. for machines without
 * internet access.
 */
const VERIFY_URLS = {
  hcaptcha: "https://hcaptcha.com/siteverify",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
};

const security = z.object({ captcha_token: z.string().default("") });
const verdict = z.object({ success: z.boolean(), "error-codes": z.array(z.string()).default([]) });

/** Whether the configuration requires a captcha for such a request. */
export function captchaNeeded(auth: Auth, request: AuthRequest): boolean {
  if (!auth.config.captcha?.enabled || request.method !== "POST" || request.segments.length !== 1)
    return false;
  const [path = ""] = request.segments;
  if (!PROTECTED.has(path)) return false;
  return path !== "token" || !EXEMPT_GRANTS.has(request.query.get("grant_type") ?? "");
}

/** Accepts administrators, and requests whose token the provider accepts. @throws AuthError captcha_failed */
export async function checkCaptcha(auth: Auth, request: AuthRequest): Promise<void> {
  const claims = await tokenClaims(auth, request).catch(() => undefined);
  if (typeof claims?.role === "string" && ADMIN_ROLES.has(claims.role)) return;
  const members = await bodyMembers(request);
  const token = security.safeParse(members.gotrue_meta_security ?? {}).data?.captcha_token ?? "";
  if (token.trim() === "") throw refusal("no captcha_token found");
  const { provider, secret } = auth.config.captcha ?? { provider: "hcaptcha" as const, secret: "" };
  const address = auth.context.config.environment.HOMEBASE_CAPTCHA_VERIFY_URL ?? VERIFY_URLS[provider];
  const response = await fetch(address, {
    method: "POST",
    body: new URLSearchParams({ secret: secret.trim(), response: token.trim(), remoteip: request.ip }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    auth.context.log.error("The captcha provider could not be asked.", { provider, error: String(error) });
    throw unexpected("captcha verification process failed");
  });
  const answer = verdict.safeParse(await answerJson(response).catch(() => undefined));
  if (!answer.data?.success)
    throw refusal(answer.data?.["error-codes"].join(", ") || "invalid-input-response");
}

function refusal(reason: string): AuthError {
  return badRequest("captcha_failed", `captcha protection: request disallowed (${reason})`);
}
