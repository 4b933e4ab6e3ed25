/** Owns the validation of an application's redirect URIs. */

/** Custom schemes of well-known applications, with the host that each uses. */
const APPLICATIONS: Readonly<Record<string, string>> = { "cursor:": "anysphere.cursor-mcp" };
const NOT_ENCRYPTED = "scheme must be HTTPS or HTTP (localhost only)";

/**
 * Validates a redirect URI: https, http on this machine, or an application's own scheme; no fragment.
 * @returns upstream's error message, or undefined.
 */
export function redirectUriFault(uri: string): string | undefined {
  if (uri === "") return "redirect URI cannot be empty";
  if (!/^[a-z][a-z\d+.-]*:/i.test(uri)) return "must have scheme";
  // They are stored joined by commas.
  if (uri.includes(",")) return "must not contain a comma (use %2C)";
  if (!URL.canParse(uri)) return "invalid URL format";
  const { protocol, hostname, hash } = new URL(uri);
  if (hostname === "") return "must have scheme and host";
  if (hash !== "") return "fragment not allowed in redirect URI";
  const application = APPLICATIONS[protocol];
  if (application !== undefined) return hostname === application ? undefined : NOT_ENCRYPTED;
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return NOT_ENCRYPTED;
  return hostname === "localhost" || hostname === "127.0.0.1"
    ? undefined
    : "HTTP scheme only allowed for localhost";
}
