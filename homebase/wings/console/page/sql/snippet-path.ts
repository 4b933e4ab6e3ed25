/** Owns the address of the SQL view: `/sql/<snippet>`, without a name for a text that is not saved. */
import { withParameters } from "../app/address.ts";
import { decoded } from "../parts/words.ts";

export function pathOfSnippet(name: string, as: string | undefined): string {
  const path = name === "" ? "/sql" : `/sql/${encodeURIComponent(name)}`;
  return withParameters(new URL(path, location.origin), { as });
}

/** "" for a text that is not saved; undefined for the address of another view. */
export function snippetOf({ pathname }: URL): string | undefined {
  const [found, name = ""] = /^\/sql(?:\/([^/]*))?$/.exec(pathname) ?? [];
  return found === undefined ? undefined : decoded(name);
}
