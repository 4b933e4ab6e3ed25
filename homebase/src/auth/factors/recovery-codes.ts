/**
 * Owns recovery codes: a second factor of ten single-use codes, for users who lost their other factors
 * (supabase/auth, internal/api/recovery_codes.go).
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { type Transaction, transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import {
  AuthError,
  forbidden,
  notFound,
  unprocessable,
  validationFailed,
  writeFailure,
} from "../kit/errors.ts";
import { type AuthRequest, fields, json } from "../kit/request-fields.ts";
import { sessionResponse } from "../sessions/sessions.ts";
import { audit } from "../users/audit-record.ts";
import type { FactorRow, Instant } from "../users/user.ts";
import { askHook, raise } from "./challenges.ts";
import { checkRoom, isRecovery, removeFactor, requireSession, type SessionCaller } from "./factors.ts";
import {
  createRecoveryCode,
  hashRecoveryCode,
  normalizeRecoveryCode,
  verifyRecoveryHash,
} from "./recovery-code.ts";

const COUNT = 10;
const DEFAULT_NAME = "Recovery codes";
/** Number of consecutive wrong codes after which verification is locked for a while. */
const MOST_FAILURES = 5;
const LOCK_MS = 15 * 60_000;

interface CodeSet {
  id: string;
  failed_verification_count: number;
  verification_locked_until: Instant | null;
}

/** The user's recovery code factor. @throws AuthError mfa_factor_not_found */
function enrolled({ user }: SessionCaller): FactorRow {
  const factor = user.factors.find(isRecovery);
  if (!factor) throw notFound("mfa_factor_not_found", "The user has not enrolled recovery codes");
  return factor;
}

function requireSecond({ session }: SessionCaller, action: string): void {
  if (session.aal !== "aal2")
    throw forbidden("insufficient_aal", `AAL2 required to ${action} recovery codes`);
}

function requireEnrolling(auth: Auth): void {
  if (auth.config.mfa.recovery_codes.enroll_enabled) return;
  throw unprocessable("mfa_recovery_codes_enroll_disabled", "MFA enroll is disabled for recovery codes");
}

function head(factor: Pick<FactorRow, "id" | "friendly_name">) {
  return {
    id: factor.id,
    type: "recovery_code",
    ...(factor.friendly_name ? { friendly_name: factor.friendly_name } : {}),
  };
}

/** GET /factors/recovery-codes */
export async function recoveryCodes(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const factor = enrolled(await requireSession(auth, request));
  const counted = await transact(auth, request, (call) =>
    call.one<{ total: number; remaining: number }>(
      `select count(*)::int as total, (count(*) filter (where c.consumed_at is null))::int as remaining
       from mfa_recovery_codes c join mfa_recovery_code_sets s on s.id = c.mfa_recovery_code_set_id
       where s.mfa_factor_id = $1`,
      [factor.id],
    ),
  );
  return json(200, { ...head(factor), total: Number(counted?.total), remaining: Number(counted?.remaining) });
}

const generateBody = z.object({ friendly_name: z.string().default("") });

/** POST /factors/recovery-codes: the only response that contains the codes. */
export async function generateRecoveryCodes(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireSession(auth, request);
  requireEnrolling(auth);
  const given = await fields(request, generateBody, true);
  requireSecond(caller, "generate");
  const { user } = caller;
  if (user.factors.some(isRecovery)) {
    throw unprocessable(
      "mfa_verified_factor_exists",
      "Recovery codes are already enrolled for this user, use regenerate to rotate them",
    );
  }
  const factor = { id: randomUUID(), friendly_name: given.friendly_name.trim() || DEFAULT_NAME };
  const made = await makeCodes();
  await transact(auth, request, async (call) => {
    await checkRoom(call, caller, factor, null);
    if (!user.factors.some((one) => one.status === "verified")) {
      throw unprocessable(
        "mfa_recovery_codes_sole_factor",
        "At least one other verified factor is required to generate recovery codes",
      );
    }
    const { now } = call;
    const failure = (error: unknown) => writeFailure("Database error enrolling factor", error);
    call.enqueue(
      `insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
       values ($1, $2, $3, 'recovery_code', 'verified', $4, $4)`,
      [factor.id, user.row.id, factor.friendly_name, now],
      failure,
    );
    const set = randomUUID();
    call.enqueue(
      `insert into mfa_recovery_code_sets (id, user_id, mfa_factor_id, created_at, updated_at)
       values ($1, $2, $3, $4, $4)`,
      [set, user.row.id, factor.id, now],
      failure,
    );
    keepCodes(call, set, made.hashes, now);
    audit(call, "recovery_codes_generated", user, {
      factor_id: factor.id,
      count: COUNT,
    });
  });
  return json(200, { ...head(factor), total: COUNT, codes: made.codes });
}

/** POST /factors/recovery-codes/regenerate: invalidates the previous codes. */
export async function regenerateRecoveryCodes(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireSession(auth, request);
  requireEnrolling(auth);
  requireSecond(caller, "regenerate");
  const factor = enrolled(caller);
  const made = await makeCodes();
  await transact(auth, request, async (call) => {
    const set = await lockSet(call, caller);
    if (!set) throw notFound("mfa_factor_not_found", "The user has not enrolled recovery codes");
    const { now } = call;
    call.enqueue("delete from mfa_recovery_codes where mfa_recovery_code_set_id = $1", [set.id]);
    keepCodes(call, set.id, made.hashes, now);
    storeFailures(call, set, 0, null, now);
    audit(call, "recovery_codes_regenerated", caller.user, {
      factor_id: factor.id,
      count: COUNT,
    });
  });
  return json(200, { ...head(factor), total: COUNT, codes: made.codes });
}

/** DELETE /factors/recovery-codes */
export async function deleteRecoveryCodes(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireSession(auth, request);
  requireSecond(caller, "delete");
  const factor = enrolled(caller);
  await transact(auth, request, async (call) => {
    removeFactor(call, factor, call.now);
    audit(call, "recovery_codes_deleted", caller.user, { factor_id: factor.id });
  });
  return json(200, { id: factor.id });
}

const verifyBody = z.object({ code: z.string().default("") });

/** POST /factors/recovery-codes/verify: raises the session to aal2 and marks the code used. */
export async function verifyRecoveryCode(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const caller = await requireSession(auth, request);
  if (!auth.config.mfa.recovery_codes.verify_enabled) {
    throw unprocessable(
      "mfa_recovery_codes_verify_disabled",
      "MFA verification is disabled for recovery codes",
    );
  }
  const code = normalizeRecoveryCode((await fields(request, verifyBody)).code);
  if (code === "") throw validationFailed("Code needs to be non-empty");
  const wrong = () => unprocessable("mfa_verification_failed", "Invalid recovery code entered");
  const factor = caller.user.factors.find(isRecovery);
  if (!factor) throw wrong();
  const granted = await transact(auth, request, async (call) => {
    // Locked, so that concurrent wrong codes are all counted and a code submitted twice is accepted once.
    const set = await lockSet(call, caller);
    if (!set) throw wrong();
    const now = auth.context.clock.now();
    const { failed_verification_count: failures, verification_locked_until: locked } = set;
    if (locked && Date.parse(locked) > now) {
      throw new AuthError(
        429,
        "mfa_recovery_codes_locked",
        "Too many failed verification attempts, try again later",
      );
    }
    const open = await call.rows<{ id: string; hash: string }>(
      `select id, code_hash as hash from mfa_recovery_codes
       where mfa_recovery_code_set_id = $1 and consumed_at is null`,
      [set.id],
    );
    const fits = await Promise.all(open.map(({ hash }) => verifyRecoveryHash(code, hash)));
    const spent = open[fits.indexOf(true)];
    await askHook(call, caller, factor, spent !== undefined);
    if (!spent) {
      const count = failures + 1;
      const until = count >= MOST_FAILURES ? new Date(now + LOCK_MS).toISOString() : null;
      storeFailures(call, set, until ? 0 : count, until, call.now);
      throw wrong().keepingWrites();
    }
    storeFailures(call, set, 0, null, call.now);
    call.enqueue("update mfa_recovery_codes set consumed_at = $2 where id = $1", [spent.id, call.now]);
    audit(call, "recovery_codes_verified", caller.user, {
      factor_id: factor.id,
      remaining: open.length - 1,
    });
    return raise(call, caller, factor);
  });
  return sessionResponse(auth, granted);
}

function lockSet(transaction: Transaction, { user }: SessionCaller): Promise<CodeSet | undefined> {
  return transaction.one<CodeSet & Record<string, unknown>>(
    `select id, failed_verification_count, to_jsonb(verification_locked_until) #>> '{}' as verification_locked_until
     from mfa_recovery_code_sets where user_id = $1 for update`,
    [user.row.id],
  );
}

/** Stores the number of failed attempts, and the end of the lockout. */
function storeFailures(
  transaction: Transaction,
  set: CodeSet,
  failures: number,
  until: string | null,
  now: string,
): void {
  transaction.enqueue(
    `update mfa_recovery_code_sets
     set failed_verification_count = $2, verification_locked_until = $3, updated_at = $4 where id = $1`,
    [set.id, failures, until, now],
  );
}

async function makeCodes(): Promise<{ codes: string[]; hashes: string[] }> {
  const codes = Array.from({ length: COUNT }, createRecoveryCode);
  return { codes, hashes: await Promise.all(codes.map(hashRecoveryCode)) };
}

function keepCodes(transaction: Transaction, set: string, hashes: readonly string[], now: string): void {
  for (const hash of hashes) {
    transaction.enqueue(
      `insert into mfa_recovery_codes (id, mfa_recovery_code_set_id, code_hash, created_at) values ($1, $2, $3, $4)`,
      [randomUUID(), set, hash, now],
    );
  }
}
