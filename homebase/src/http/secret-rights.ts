/**
 * Owns who may use secret rights: rights that row level security does not limit. The gateway finds out whether
 * a request is foreign; each service asks here after its own verification, with the role it will act as.
 */
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import {
  type SignatureCheck,
  type TokenCheck,
  type TokenRefusal,
  verifyToken,
} from "../tokens/verify-token.ts";
import { type Foreign, jsonResponse, type ServiceRequest, type ServiceResponse } from "./exchange.ts";

/** `service_role`, and the roles that own the database or administer a service. */
const SECRET_ROLE = "^(service_role|postgres|authenticator|dashboard_user|supabase_.*|pg_.*)$";
/** No role: Postgres then acts as the service's own login, which owns its tables. */
const NO_ROLE = "none";
/** The roles of the public keys and of users. */
const ORDINARY_ROLES = new Set(["anon", "authenticated"]);

/**
 * A role is secret by its own attributes, by what it owns, and by what it may become: members of a secret
 * role have its grants and policies.
 */
const HAS_SECRET_RIGHTS = `select exists (
  select from pg_catalog.pg_roles own
  join pg_catalog.pg_roles held on pg_catalog.pg_has_role(own.oid, held.oid, 'member')
  where own.rolname = $1 and (
    held.rolsuper or held.rolbypassrls or held.rolname ~ $2
    or exists (select from pg_catalog.pg_class where relowner = held.oid and relkind in ('r', 'p', 'v', 'm', 'f'))
  )
) as secret`;

/** Thrown when a foreign request uses secret rights; the gateway responds 403. */
export class ForeignRefused extends Error {
  readonly foreign: Foreign;
  constructor(foreign: Foreign) {
    super(foreign.message);
    this.foreign = foreign;
  }

  response(): ServiceResponse {
    return refuseForeign(this.foreign);
  }
}

/** The response to a foreign request. */
export function refuseForeign({ message, hint }: Foreign): ServiceResponse {
  return jsonResponse(403, { message, hint });
}

/**
 * Refuses a secret role to a foreign request.
 * @param foreign why the request may not use secret rights.
 * @param role the verified role that the service will act as.
 * @throws ForeignRefused
 */
export async function requireOwnRole(
  database: Database,
  foreign: Foreign | undefined,
  role: unknown,
): Promise<void> {
  if (!foreign || typeof role !== "string" || ORDINARY_ROLES.has(role)) return;
  if (role === NO_ROLE) throw new ForeignRefused(foreign);
  const { rows } = await database.query<{ secret: boolean }>("authenticator", HAS_SECRET_RIGHTS, [
    // Postgres text cannot contain NUL, so no role has such a name.
    role.replaceAll("\0", ""),
    SECRET_ROLE,
  ]);
  if (rows[0]?.secret) throw new ForeignRefused(foreign);
}

/** What verifying a request's token takes. */
export interface TokenContext {
  readonly keys: SignatureCheck;
  readonly clock: Clock;
  readonly database: Database;
}

/**
 * Verifies a token's signature and times, and that its role may be used here. @throws ForeignRefused
 * @param request with a record, which then knows whose request it is
 */
export async function verifyRequestToken(
  token: string,
  { keys, clock, database }: TokenContext,
  { foreign, record }: Pick<ServiceRequest, "foreign" | "record">,
): Promise<Extract<TokenCheck, { ok: true }> | TokenRefusal> {
  const check = await verifyToken(token, keys, clock);
  // Those of an expired token are signed as well.
  if (record && "claims" in check) record.claims = check.claims;
  if (check.ok) await requireOwnRole(database, foreign, check.claims.role);
  return check;
}
