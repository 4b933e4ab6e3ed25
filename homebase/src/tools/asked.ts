/** Owns the request that a question about it means: who asks, and what REST's settings make of it. */
import type pg from "pg";
import type { Config } from "../config/config.ts";
import { type ApiSettings, type Asked, ExplainError } from "../explain/index.ts";

/** A request as a person or an assistant names it. */
export interface Question {
  method: string;
  path: string;
  /** The email of a user of auth.users. At most one of `as`, `role` and `claims` is given; anon otherwise. */
  as?: string | undefined;
  role?: string | undefined;
  claims?: Record<string, unknown> | undefined;
  body?: string | undefined;
  upsert?: boolean | undefined;
  /** Further headers, by lower-case names. */
  headers?: Record<string, string> | undefined;
}

/** @throws ExplainError when there is no such user. */
export async function askedBy(client: pg.ClientBase, question: Question): Promise<Asked> {
  const { method, path, as, role, claims, body, upsert, headers } = question;
  const sent = {
    ...headers,
    ...(upsert ? { prefer: "resolution=merge-duplicates", "x-upsert": "true" } : {}),
  };
  return {
    method: method.toUpperCase(),
    path,
    ...(as === undefined ? callerOf(role, claims) : await userOf(client, as)),
    body,
    ...(Object.keys(sent).length > 0 ? { headers: sent } : {}),
  };
}

/** The project's settings of REST. */
export function apiSettings({ api }: Config): ApiSettings {
  return {
    schemas: api.schemas,
    extraSearchPath: api.extra_search_path,
    ...(api.max_rows > 0 ? { maxRows: api.max_rows } : {}),
  };
}

type Who = Pick<Asked, "role" | "claims">;

function callerOf(role = "anon", claims: Record<string, unknown> = { role }): Who {
  return { role: typeof claims.role === "string" ? claims.role : "anon", claims };
}

/** The claims that the user's token would have. @throws ExplainError when there is no such user. */
async function userOf(client: pg.ClientBase, email: string): Promise<Who> {
  const found = await client.query<{
    id: string;
    role: string | null;
    app: unknown;
    user: unknown;
    phone: string | null;
  }>(
    `select id::text, role, phone, raw_app_meta_data as app, raw_user_meta_data as "user"
     from auth.users where lower(email) = lower($1) and not is_sso_user`,
    [email],
  );
  const [one] = found.rows;
  if (!one) throw new ExplainError(`No user of auth.users has the email ${email}.`);
  const role = one.role || "authenticated";
  return {
    role,
    claims: {
      sub: one.id,
      role,
      aud: "authenticated",
      email,
      phone: one.phone ?? "",
      app_metadata: one.app ?? {},
      user_metadata: one.user ?? {},
      aal: "aal1",
      is_anonymous: false,
    },
  };
}
