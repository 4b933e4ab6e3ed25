/**
 * Owns the options of foreign servers, tables and user mappings that are secrets, and stand in no statement. pg-delta leaves
 * out every option that it does not know, and so what a wrapper of Supabase reads; here those that name a secret are.
 */
import type { FactBase } from "@supabase/pg-delta";

/** Regular expressions, of JavaScript and of Postgres, ignoring case. A reference to a secret, e.g. api_key_id, is none. */
export const SECRET =
  "pass|secret|token|credential|private|(^|_)key$|^sa_key|conn_str|conn_url|connection_?string|service_account";
export const REFERENCE = "_(id|name)$|^vault_|^(primary|partition|row)_key$";

type Fact = ReturnType<FactBase["facts"]>[number];

const KINDS = new Set(["fdw", "server", "userMapping", "foreignTable"]);
const isSecret = (name: string) =>
  new RegExp(SECRET, "i").test(name) && !new RegExp(REFERENCE, "i").test(name);
/** In the place of a value. */
const masked = (name: string) => `__OPTION_${name.toUpperCase()}__`;
/** A subscription's, which names another server and a password. */
const NO_CONNECTION =
  "host=__CONN_HOST__ port=__CONN_PORT__ dbname=__CONN_DBNAME__ user=__CONN_USER__ password=__CONN_PASSWORD__";

/** The object without its secrets, which are the same in each database then. */
export function withoutSecrets(fact: Fact): Fact {
  const { id, payload } = fact;
  if (id.kind === "subscription" && payload.conninfo !== null)
    return { ...fact, payload: { ...payload, conninfo: NO_CONNECTION } };
  const { options } = payload;
  if (!KINDS.has(id.kind) || !Array.isArray(options)) return fact;
  const kept = options.map((option) => {
    const [, name = ""] = /^([^=]*)=/.exec(String(option)) ?? [];
    return isSecret(name) ? `${name}=${masked(name)}` : option;
  });
  return { ...fact, payload: { ...payload, options: kept } };
}
