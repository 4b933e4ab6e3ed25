/** Owns a request as a command for a POSIX shell. */
import type { About, Outgoing } from "../../server/api.ts";

/** With the publishable key, and a variable in place of a token: a token is a person's, and ends. */
export function curlOf(
  { method, path, headers, body, same }: Outgoing,
  { url, publishableKey }: About,
): string {
  const sent = { apikey: publishableKey, ...headers };
  const typed = body === undefined ? sent : { ...sent, "content-type": "application/json" };
  return [
    "curl",
    ...(method === "GET" ? [] : ["-X", method]),
    quoted(url + path),
    ...Object.entries(typed).flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(same === undefined ? [] : ["-H", '"authorization: Bearer $TOKEN"']),
    ...(body === undefined ? [] : ["-d", quoted(body)]),
  ].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
