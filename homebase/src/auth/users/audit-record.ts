/** Owns the audit trail in auth.audit_log_entries (docs/compat/auth.md 3, "Audit payload"). */

import { randomUUID } from "node:crypto";
import { NIL } from "../../core/uuid.ts";
import type { Call } from "../kit/as-auth-admin.ts";
import type { User } from "./user.ts";

const LOG_TYPES = {
  login: "account",
  logout: "account",
  invite_accepted: "account",
  user_signedup: "team",
  user_invited: "team",
  user_deleted: "team",
  token_revoked: "token",
  token_refreshed: "token",
  user_modified: "user",
  user_recovery_requested: "user",
  user_reauthenticate_requested: "user",
  user_confirmation_requested: "user",
  user_repeated_signup: "user",
  user_updated_password: "user",
  identity_linked: "user",
  identity_unlinked: "user",
  passkey_created: "user",
  passkey_updated: "user",
  passkey_deleted: "user",
  factor_in_progress: "factor",
  factor_unenrolled: "factor",
  challenge_created: "factor",
  verification_attempted: "factor",
  factor_deleted: "factor",
  factor_updated: "factor",
  recovery_codes_generated: "factor",
  recovery_codes_verified: "factor",
  recovery_codes_regenerated: "factor",
  recovery_codes_deleted: "factor",
} as const;

export type AuditAction = keyof typeof LOG_TYPES;

/** Writes an entry; `actor` undefined is the administrator. */
export function audit(
  call: Call,
  action: AuditAction,
  actor: User | undefined,
  traits?: Record<string, unknown>,
): void {
  const name = actor?.row.raw_user_meta_data.full_name;
  const payload = {
    actor_id: actor?.row.id ?? NIL,
    actor_via_sso: actor?.row.is_sso_user ?? false,
    actor_username: actor ? (actor.row.email ?? actor.row.phone ?? "") : "service_role",
    ...(typeof name === "string" ? { actor_name: name } : {}),
    action,
    log_type: LOG_TYPES[action],
    traits,
  };
  call.enqueue(
    `insert into audit_log_entries (instance_id, id, payload, created_at, ip_address)
     values ('${NIL}', $1, $2, $3, $4)`,
    [randomUUID(), JSON.stringify(payload), call.now, call.request.ip],
  );
}
