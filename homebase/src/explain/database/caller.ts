/** Owns the caller of a request that is explained, and the statements that make a transaction the caller's. */
import { quote, quoteLiteral } from "../../postgres/quoting.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import { type Prelude, preludeText } from "../../rest/execute/settings.ts";
import { isWord } from "../expression/expression.ts";

/** The caller of a request, as the database sees it. */
export interface Caller {
  role: string;
  claims: Record<string, unknown>;
  /** Of a request to REST: its settings and pre-request. The settings below are those of other services. */
  prelude?: Prelude;
  /** The request's own search path, as the setting is written; `public` by default. */
  searchPath?: string;
  method?: string;
  path?: string;
  /** The request's headers that are known, by lower-case names. */
  headers?: Record<string, string>;
  /** Further settings that the service makes. */
  settings?: Record<string, string>;
}

/** Makes the transaction that of the caller, and then takes a role. */
export function entering(caller: Caller, role: string): string {
  const { prelude, searchPath } = caller;
  if (!prelude) return `${settingsOf(caller)}; set local role ${quote(role)}`;
  const path = searchPath === undefined ? "" : `; set local search_path = ${quoteLiteral(searchPath)}`;
  return preludeText(prelude, role) + path;
}

/** The settings that a service gives a transaction and that policies read. */
function settingsOf({
  claims,
  searchPath = "public",
  method = "GET",
  path = "/",
  headers = {},
  settings: more,
}: Caller): string {
  const settings = {
    search_path: searchPath,
    "request.jwt.claims": JSON.stringify(claims),
    "request.method": method,
    "request.path": path,
    "request.headers": JSON.stringify(headers),
    "request.cookies": "{}",
    ...more,
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${quoteLiteral(value)}, true)`,
  );
  return `select ${calls.map((call) => `pg_catalog.${call}`).join(", ")}`;
}

/** The text with the names of the current user replaced by the caller's. */
export function withUser(text: string, role: string): string {
  let result = "";
  let at = 0;
  for (const token of tokenize(text)) {
    if (!isWord(token, "current_user") && !isWord(token, "current_role")) continue;
    result += `${text.slice(at, token.from)}${quoteLiteral(role)}::name`;
    at = token.to;
  }
  return result + text.slice(at);
}
