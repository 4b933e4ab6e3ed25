/** Owns the claims that a user's token would have: those of the newest session, or of one that begins now. */
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { hookFunction } from "../auth/kit/hooks.ts";
import { issuerOf } from "../auth/kit/settings.ts";
import { type Amr, type ClaimedUser, claimsOfHook, sessionClaims } from "../auth/sessions/claims.ts";
import type { Config } from "../config/config.ts";
import { isRecord, recordOf } from "../core/record.ts";
import { type Asked, ExplainError } from "../explain/index.ts";

interface Found {
  user: Partial<ClaimedUser["row"]> & { id: string };
  identities: ClaimedUser["identities"];
  session: string | null;
  amr: Amr[];
}

const HOUR_SECONDS = 3_600;
const HOOK_MS = 2_000;

const USER = `select pg_catalog.to_jsonb(u) as user, s.id::text as session,
    coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', i.id, 'provider', i.provider))
      from auth.identities i where i.user_id = u.id), '[]') as identities,
    coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('method', c.authentication_method,
        'timestamp', extract(epoch from c.updated_at)::int8) order by c.updated_at desc)
      from auth.mfa_amr_claims c where c.session_id = s.id), '[]') as amr
  from auth.users u left join lateral
    (select s.id from auth.sessions s where s.user_id = u.id order by s.created_at desc limit 1) s on true
  where lower(u.email) = lower($1) and not u.is_sso_user or u.id::text = lower($1)`;

type Token = Pick<Asked, "role" | "claims" | "session" | "notes">;

/**
 * @param named the email of a user, or the id.
 * @param config the project's; without one the token has what every project's has.
 * @throws ExplainError when there is no such user, or the hook refuses the token.
 */
export async function tokenOf(client: pg.ClientBase, named: string, config?: Config): Promise<Token> {
  const { rows } = await client.query<Found>(USER, [named]);
  const [found] = rows;
  if (!found) throw new ExplainError(`No user of auth.users has the email ${named}.`);
  const { user, identities } = found;
  const issuedAt = Math.floor(Date.now() / 1_000);
  const sessionId = found.session ?? randomUUID();
  const amr = found.amr.length > 0 ? found.amr : [{ method: "password", timestamp: issuedAt }];
  const claimed: ClaimedUser = {
    identities,
    row: {
      id: user.id,
      email: user.email ?? "",
      phone: user.phone ?? "",
      aud: user.aud || "authenticated",
      role: user.role || "authenticated",
      raw_app_meta_data: user.raw_app_meta_data ?? {},
      raw_user_meta_data: user.raw_user_meta_data ?? {},
      is_anonymous: user.is_anonymous ?? false,
    },
  };
  const issuer = config ? issuerOf(config.auth, `http://127.0.0.1:${config.api.port}`) : "";
  const expiresAt = issuedAt + (config?.auth.jwt_expiry ?? HOUR_SECONDS);
  const own = sessionClaims({ issuer, issuedAt, expiresAt }, { user: claimed, sessionId, amr });
  const { claims, notes } = await customised(client, own, amr[0]?.method ?? "password", config);
  const role = typeof claims.role === "string" ? claims.role : claimed.row.role;
  const begun = found.session === null ? { session: { id: sessionId, user: user.id } } : {};
  return { role, claims, ...begun, ...(notes.length > 0 ? { notes } : {}) };
}

/** The claims as the project's hook makes them; a hook that is an address is not called. */
async function customised(
  client: pg.ClientBase,
  claims: Record<string, unknown>,
  method: string,
  config: Config | undefined,
): Promise<{ claims: Record<string, unknown>; notes: string[] }> {
  const hook = config?.auth.hook.custom_access_token;
  if (!hook?.enabled) return { claims, notes: [] };
  const name = hookFunction(hook.uri);
  if (name === undefined) {
    return {
      claims,
      notes: ["The token's hook is an address, which is not called: the claims are those before it."],
    };
  }
  const metadata = {
    uuid: randomUUID(),
    time: new Date().toISOString(),
    name: "custom-access-token",
    ip_address: "",
  };
  const payload = { metadata, user_id: claims.sub, claims, authentication_method: method };
  try {
    await client.query(
      `begin; set local search_path = auth; set local statement_timeout = ${HOOK_MS}; set local role supabase_auth_admin`,
    );
    const { rows } = await client.query<{ answer: unknown }>(`select ${name}($1::jsonb) as answer`, [
      JSON.stringify(payload),
    ]);
    const answer = recordOf(rows[0]?.answer);
    if (isRecord(answer.error)) throw new Error(String(answer.error.message));
    return { claims: claimsOfHook(answer), notes: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExplainError(`The token's hook ${name} gives no token: ${reason.trim()}.`, { cause: error });
  } finally {
    await client.query("rollback");
  }
}
