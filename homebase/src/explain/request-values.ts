/** Owns reading which value of the request an expression takes: a claim of the token, a header, the user's id. */
import type { Caller } from "./database/explained-caller.ts";

const CLAIM =
  /(?:auth\.jwt\(\)|current_setting\('request\.jwt\.claims'(?:::text)?(?:, true)?\)\)*::jsonb?)((?:[ ()]*(?:AS jwt)?[ ()]*->>? ?'(?:[^']|'')*'(?:::text)?)*)/;
const HEADER =
  /current_setting\('request\.headers'(?:::text)?(?:, true)?\)\)*::jsonb?[ ()]*->>? ?'((?:[^']|'')*)'/;

/** Why an expression has no value, where the request lacks what it reads; undefined where that is not known. */
export function absentFrom(text: string, { claims, headers = {} }: Caller): string | undefined {
  const header = HEADER.exec(text)?.[1];
  if (header !== undefined && headers[header.toLowerCase()] === undefined)
    return `the request has no header ${header}`;
  const path = CLAIM.exec(text)?.[1];
  if (path !== undefined) {
    let value: unknown = claims;
    const names: string[] = [];
    for (const [, name = ""] of path.matchAll(/->>? ?'((?:[^']|'')*)'/g)) {
      names.push(name);
      value = (value as Record<string, unknown> | null | undefined)?.[name];
      if (value === undefined || value === null) return `the token has no claim ${names.join(".")}`;
    }
  }
  return text.includes("auth.uid()") && typeof claims.sub !== "string" ? "nobody is signed in" : undefined;
}
