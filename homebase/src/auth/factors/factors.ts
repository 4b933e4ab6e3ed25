/** Owns second factors: enrolling and removing them (docs/compat/auth.md 2, "MFA"). */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isUuid } from "../../core/uuid.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Call, type Transaction, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { checkPhone } from "../kit/client-input.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import {
  forbidden,
  notFound,
  unexpected,
  unprocessable,
  validationFailed,
  writeFailure,
} from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { notify } from "../mail/account-notices.ts";
import { audit } from "../users/audit-record.ts";
import { type Caller, type CallerSession, requireNamedUser } from "../users/signed-in-caller.ts";
import type { FactorRow, User } from "../users/user.ts";
import { findById } from "../users/users.ts";
import { qrSvg } from "./qr-code.ts";
import { createSecret, totpUri } from "./totp.ts";

/** How long a factor may stay unverified and unchallenged before the next enrolment removes it. */
const UNVERIFIED_LIFETIME_MS = 300_000;

/** The names of each factor type: in configuration, in error codes and in messages. */
export const FACTOR_KINDS = {
  totp: { config: "totp", code: "totp", name: "TOTP" },
  phone: { config: "phone", code: "phone", name: "Phone" },
  webauthn: { config: "web_authn", code: "webauthn", name: "WebAuthn" },
} as const;

/** A factor that is verified by answering a challenge; recovery codes are not. */
export type ChallengedFactor = FactorRow & { factor_type: keyof typeof FACTOR_KINDS };

/** @throws AuthError validation_failed for recovery codes, which have endpoints of their own. */
export function requireChallenged(factor: FactorRow): asserts factor is ChallengedFactor {
  if (factor.factor_type !== "recovery_code") return;
  throw unprocessable(
    "validation_failed",
    "Recovery codes cannot be used with this endpoint, use POST /factors/recovery-codes/verify",
  );
}

/** A caller whose token belongs to a session; factors raise the level of that session. */
export interface SessionCaller extends Caller {
  session: CallerSession;
}

/** @throws AuthError as the level "not-anon" says; 500 for a token that belongs to no session. */
export async function requireSession(auth: Auth, request: AuthRequest): Promise<SessionCaller> {
  const caller = await requireNamedUser(auth, request);
  if (!caller.session) {
    throw unexpected("A valid session and a registered user are required");
  }
  return { ...caller, session: caller.session };
}

/** Whether the factor is the set of recovery codes, which requires another verified factor. */
export const isRecovery = (factor: FactorRow): boolean => factor.factor_type === "recovery_code";

/** One of the user's factors. @throws AuthError mfa_factor_not_found, validation_failed */
export function factorOf(user: User, id: string): FactorRow {
  if (!isUuid(id)) throw notFound("validation_failed", "factor_id must be an UUID");
  const factor = user.factors.find((one) => one.id === id);
  if (!factor) throw notFound("mfa_factor_not_found", "Factor not found");
  return factor;
}

const enrollBody = z.object({
  friendly_name: z.string().default(""),
  factor_type: z.string().default(""),
  issuer: z.string().default(""),
  phone: z.string().default(""),
});

type Enrollment = z.output<typeof enrollBody>;

/** POST /factors */
export async function enrollFactor(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireSession(auth, request);
  const given = await fields(request, enrollBody);
  const type = given.factor_type;
  if (type !== "totp" && type !== "phone" && type !== "webauthn") {
    throw validationFailed("factor_type needs to be totp, phone, or webauthn");
  }
  const kind = FACTOR_KINDS[type];
  if (!auth.config.mfa[kind.config].enroll_enabled) {
    throw unprocessable(`mfa_${kind.code}_enroll_not_enabled`, `MFA enroll is disabled for ${kind.name}`);
  }
  if (type === "phone" && given.phone === "") {
    throw validationFailed("Phone number required to enroll Phone factor");
  }
  const phone = type === "phone" ? checkPhone(given.phone) : null;
  const secret = type === "totp" ? createSecret() : null;
  const issuer = given.issuer || new URL(auth.config.site_url).host;
  const account = caller.user.row.email ?? "";
  if (type === "totp" && account === "") {
    throw unexpected("Error generating QR Code");
  }
  const id = randomUUID();
  const totp = secret === null ? null : authenticatorOf(totpUri(issuer, account, secret), secret);
  await transact(auth, request, async (call) => {
    await checkRoom(call, caller, given, phone);
    const { now } = call;
    call.enqueue(
      `insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
       values ($1, $2, $3, $4, 'unverified', $5, $5, $6, $7)`,
      [id, caller.user.row.id, given.friendly_name, type, now, secret, phone],
      (error) => writeFailure("Database error enrolling factor", error),
    );
    audit(call, "factor_in_progress", caller.user, {
      factor_id: id,
      ...(type === "totp" ? {} : { factor_type: type }),
    });
  });
  const head = { id, type, friendly_name: given.friendly_name };
  if (type === "webauthn") return json(200, head);
  return json(200, totp === null ? { ...head, phone: given.phone } : { ...head, totp });
}

/** What an authenticator app needs. @throws AuthError when a code that can be scanned has no room for the address. */
function authenticatorOf(uri: string, secret: string): { qr_code: string; secret: string; uri: string } {
  try {
    return { qr_code: qrSvg(uri), secret, uri };
  } catch {
    throw validationFailed("The issuer is too long for a QR code");
  }
}

/** Checks that another factor with this name may be added. @throws AuthError */
export async function checkRoom(
  call: Call,
  { user: caller, session }: SessionCaller,
  given: Pick<Enrollment, "friendly_name">,
  phone: string | null,
): Promise<void> {
  const before = new Date(call.auth.context.clock.now() - UNVERIFIED_LIFETIME_MS).toISOString();
  call.enqueue(
    `delete from mfa_factors f where f.status = 'unverified' and f.created_at < $1
       and not exists (select 1 from mfa_challenges c where c.factor_id = f.id)`,
    [before],
  );
  const user = (await findById(call, caller.row.id)) ?? caller;
  if (phone !== null) replacePhone(call, user, phone);
  if (user.factors.some((factor) => (factor.friendly_name ?? "") === given.friendly_name)) {
    throw unprocessable(
      "mfa_factor_name_conflict",
      `A factor with the friendly name "${given.friendly_name}" for this user already exists`,
    );
  }
  if (user.factors.length >= call.auth.config.mfa.max_enrolled_factors) {
    throw unprocessable(
      "too_many_enrolled_mfa_factors",
      "Maximum number of verified factors reached, unenroll to continue",
    );
  }
  if (user.factors.some(({ status }) => status === "verified") && session.aal !== "aal2") {
    throw forbidden("insufficient_aal", "AAL2 required to enroll a new factor");
  }
}

/** Replaces an unverified factor of the same phone number. @throws AuthError mfa_verified_factor_exists */
function replacePhone(transaction: Transaction, user: User, phone: string): void {
  const present = user.factors.find((factor) => factor.phone === phone);
  if (present?.status === "verified") {
    throw unprocessable(
      "mfa_verified_factor_exists",
      "A verified phone factor already exists, unenroll the existing factor to continue",
    );
  }
  if (!present) return;
  transaction.enqueue("delete from mfa_factors where id = $1", [present.id]);
  user.factors = user.factors.filter((factor) => factor !== present);
}

/** DELETE /factors/{id} */
export const unenrollFactor: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const { user, session } = await requireSession(auth, request);
  const factor = factorOf(user, id);
  if (factor.factor_type === "recovery_code") {
    throw unprocessable(
      "validation_failed",
      "Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes",
    );
  }
  if (factor.status === "verified" && session.aal !== "aal2") {
    throw unprocessable("insufficient_aal", "AAL2 required to unenroll verified factor");
  }
  const others = user.factors.filter((one) => one !== factor && one.status === "verified");
  if (factor.status === "verified" && others.length > 0 && others.every(isRecovery)) {
    throw unprocessable(
      "mfa_recovery_codes_sole_factor",
      "The last verified factor cannot be unenrolled while recovery codes exist",
    );
  }
  await transact(auth, request, async (call) => {
    removeFactor(call, factor, call.now);
    audit(call, "factor_unenrolled", user, {
      factor_id: factor.id,
      factor_status: factor.status,
      session_id: session.id,
    });
    const variables = { FactorType: factor.factor_type };
    await notify(call, "mfa_factor_unenrolled", user, user.row.email ?? "", variables);
  });
  return json(200, { id: factor.id });
};

/** Deletes a factor. Sessions that it raised drop to aal1; their next token shows it. */
export function removeFactor(transaction: Transaction, factor: FactorRow, now: string): void {
  transaction.enqueue(
    `delete from mfa_amr_claims where authentication_method in ('totp', 'mfa/phone', 'mfa/webauthn', 'mfa/recovery_code')
       and session_id in (select id from sessions where factor_id = $1)`,
    [factor.id],
  );
  transaction.enqueue(
    "update sessions set aal = 'aal1', factor_id = null, updated_at = $2 where factor_id = $1",
    [factor.id, now],
  );
  transaction.enqueue("delete from mfa_factors where id = $1", [factor.id]);
}
