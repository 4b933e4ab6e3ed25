/** Owns the request that a question about it means: who asks, and what REST's settings make of it. */
import type pg from "pg";
import type { Config } from "../config/config.ts";
import type { ApiSettings, Asked } from "../explain/index.ts";
import { tokenOf } from "./token-of.ts";

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

/** @param config the project's, which decides about tokens. @throws ExplainError when there is no such user. */
export async function askedBy(client: pg.ClientBase, question: Question, config?: Config): Promise<Asked> {
  const { method, path, as, role, claims, body, upsert, headers } = question;
  const sent = {
    ...headers,
    ...(upsert ? { prefer: "resolution=merge-duplicates", "x-upsert": "true" } : {}),
  };
  return {
    method: method.toUpperCase(),
    // An address that is pasted has the stack's own.
    path: path.replace(/^https?:\/\/[^/?#]*(?=\/)/i, ""),
    ...(as === undefined ? callerOf(role, claims) : await tokenOf(client, as, config)),
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
