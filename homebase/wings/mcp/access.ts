/**
 * Owns the access to the MCP endpoint: programs on this machine with the token of this start. Web pages are refused,
 * whatever their origin: no page is an assistant, and the tools read all data of the project.
 */
import type { IncomingHttpHeaders } from "node:http";
import { equalSecrets } from "../../src/core/equal-secrets.ts";
import { bearerToken } from "../../src/tokens/verify-token.ts";

/** The names of this machine. A name of another could be made to resolve to it (DNS rebinding). */
const HOSTS = ["127.0.0.1", "localhost", "[::1]"];
/** Browsers send these with every request to loopback. `sec-fetch-mode` alone is no sign: Node's fetch sends it. */
const OF_BROWSERS = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"] as const;

export interface Refusal {
  status: 401 | 403;
  message: string;
}

/** Why a request is refused; undefined when it may pass. @param port of the gateway. */
export function accessRefusal(
  headers: IncomingHttpHeaders,
  port: number,
  token: string,
): Refusal | undefined {
  if (!HOSTS.some((name) => headers.host === `${name}:${port}`)) {
    return {
      status: 403,
      message: `The MCP endpoint cannot be reached as ${headers.host ?? "(none)"}. Use 127.0.0.1:${port}.`,
    };
  }
  const sign = OF_BROWSERS.find((name) => headers[name] !== undefined);
  if (sign !== undefined) {
    return {
      status: 403,
      message: `The MCP endpoint serves no web pages, and this request has the header ${sign}.`,
    };
  }
  const given = bearerToken(headers.authorization) ?? "";
  if (equalSecrets(given, token)) return undefined;
  return {
    status: 401,
    message:
      "The token is missing, or not that of this start. `homebase status` shows it as MCP_TOKEN; send it as Authorization: Bearer <token>.",
  };
}
