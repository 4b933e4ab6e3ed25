/** Owns how a redirect tells an error: in its query, its fragment, or both. */
import type { AuthError } from "./errors.ts";

const ERROR_NAMES: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized_client",
  403: "access_denied",
  500: "server_error",
  503: "temporarily_unavailable",
};

/** The redirect of a failed link: the error is in the fragment, for PKCE also in the query. */
export function errorTarget(
  target: string,
  error: AuthError,
  inQuery: boolean,
  name = ERROR_NAMES[error.status],
): string {
  const members = errorMembers(error, name);
  const fragment = new URLSearchParams({ ...members, sb: "" });
  return `${inQuery ? withQuery(target, members) : target}#${fragment}`;
}

/** The parameters that tell an error. */
export function errorMembers(error: AuthError, name = ERROR_NAMES[error.status]): Record<string, string> {
  return {
    ...(name ? { error: name } : {}),
    error_code: error.code,
    error_description: error.message,
  };
}

/** A URL with parameters merged into its query, keys sorted. */
export function withQuery(target: string, members: Record<string, string>): string {
  const [bare = "", fragment] = target.split("#", 2);
  const mark = bare.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : bare.slice(mark + 1));
  for (const [name, value] of Object.entries(members)) query.set(name, value);
  query.sort();
  const address = `${mark < 0 ? bare : bare.slice(0, mark)}?${query}`;
  return fragment === undefined ? address : `${address}#${fragment}`;
}
