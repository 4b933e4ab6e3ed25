/** Owns a request as a command for a POSIX shell. */
import type { About, Outgoing } from "../../server/api.ts";

/** With the publishable key and without a token: a token is a person's, and ends. */
export function curlOf({ method, path, headers, body }: Outgoing, { url, publishableKey }: About): string {
  const sent = { apikey: publishableKey, ...headers };
  const typed = body === undefined ? sent : { ...sent, "content-type": "application/json" };
  return [
    "curl",
    ...(method === "GET" ? [] : ["-X", method]),
    quoted(url + path),
    ...Object.entries(typed).flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ["-d", quoted(body)]),
  ].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
