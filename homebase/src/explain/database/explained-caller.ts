/** Owns the caller of a request that is explained, and the statements that make a transaction the caller's. */
import { quoteLiteral } from "../../postgres/quoting.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import { type Prelude, preludeText } from "../../rest/execute/transaction-settings.ts";
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
  if (!prelude) return preludeText({ settings: settingsOf(caller), before: [] }, role);
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
}: Caller): Prelude["settings"] {
  return Object.entries({
    search_path: searchPath,
    "request.jwt.claims": JSON.stringify(claims),
    "request.method": method,
    "request.path": path,
    "request.headers": JSON.stringify(headers),
    "request.cookies": "{}",
    ...more,
  });
}

/** The text with the words for users replaced: SESSION_USER, and the current one where it is given. */
export function withUser(
  text: string,
  { session, current }: { session: string; current?: string | undefined },
): string {
  const words: Record<string, string | undefined> = {
    session_user: session,
    current_user: current,
    current_role: current,
  };
  let result = "";
  let at = 0;
  for (const token of tokenize(text)) {
    const user = Object.entries(words).find(([word]) => isWord(token, word))?.[1];
    if (user === undefined) continue;
    result += `${text.slice(at, token.from)}${quoteLiteral(user)}::name`;
    at = token.to;
  }
  return result + text.slice(at);
}

/** The login of the service that answers the caller: SESSION_USER in its policies. */
export function loginOf({ prelude, path = "" }: Caller): string {
  if (prelude) return "authenticator";
  return path === "" ? "postgres" : "supabase_storage_admin";
}
