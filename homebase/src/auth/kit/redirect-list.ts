/**
 * Owns the allow-list of redirect URLs for links and sign-ins (docs/compat/auth.md 5, "Redirect allow-list").
 */
import { isIP } from "node:net";
import type { AuthRequest } from "./request-fields.ts";

/** The allow-list of one project. */
export class RedirectList {
  readonly #site: string;
  readonly #siteUrl: URL | undefined;
  readonly #patterns: RegExp[];

  constructor(siteUrl: string, allowed: readonly string[]) {
    this.#site = siteUrl;
    this.#siteUrl = parseUrl(siteUrl);
    this.#patterns = allowed.map(globToRegExp);
  }

  get site(): string {
    return this.#site;
  }

  /** The redirect target: `redirect_to` if allowed, else the referring page if allowed, else the site URL. */
  resolve(request: AuthRequest, given?: string): string {
    const header = request.headers.redirect_to;
    const wanted =
      given ?? (typeof header === "string" ? header : undefined) ?? request.query.get("redirect_to");
    if (wanted && this.allows(wanted)) return wanted;
    const referrer = request.headers.referer;
    if (referrer && this.allows(referrer)) return referrer;
    return this.#site;
  }

  /** Whether a redirect URL is allowed. */
  allows(address: string): boolean {
    const url = parseUrl(address);
    if (!url) return this.#matches(address);
    // Browsers read `http://2130706433` as 127.0.0.1 and end a host at a backslash, so a URL that changes
    // when normalised is rejected.
    if ((rawHost(address) ?? url.hostname).toLowerCase() !== url.hostname.toLowerCase()) return false;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const site = this.#siteUrl;
    if (site && site.hostname === url.hostname && site.hostname !== "") {
      const local = isLoopback(host) || host === "localhost";
      if (site.protocol === url.protocol && (local || site.port === url.port)) return true;
    }
    if (isIP(host)) return isLoopback(host);
    if (/^https?:$/.test(url.protocol) && !/^[a-zA-Z0-9.-]+$/.test(host)) return false;
    return this.#matches(address);
  }

  #matches(address: string): boolean {
    const bare = address.split("#")[0] ?? "";
    return this.#patterns.some((pattern) => pattern.test(bare));
  }
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The host as written, not normalised. */
function rawHost(address: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#]*)/i.exec(address)?.[1];
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Compiles a glob to a regular expression for the whole text: `*` any run without "." or "/", `**` any run,
 * `?` one character other than these, `[abc]`, `[a-z]`, `[!a]`, `{a,b}`, and `\` before a literal character.
 */
export function globToRegExp(glob: string): RegExp {
  let source = "";
  let depth = 0;
  for (let index = 0; index < glob.length; index++) {
    const character = glob[index] ?? "";
    if (character === "*") {
      if (glob[index + 1] === "*") {
        source += ".*";
        index++;
      } else source += "[^./]*";
    } else if (character === "?") source += "[^./]";
    else if (character === "\\") source += escapeRegExp(glob[++index] ?? "\\");
    else if (character === "[" && glob.indexOf("]", index + 1) > 0) {
      const end = glob.indexOf("]", index + 2);
      const inner = glob.slice(index + 1, end < 0 ? glob.indexOf("]", index + 1) : end);
      source += `[${inner.replace(/^!/, "^").replace(/[\\\][]/g, "\\$&")}]`;
      index += inner.length + 1;
    } else if (character === "{") {
      source += "(?:";
      depth++;
    } else if (character === "}" && depth > 0) {
      source += ")";
      depth--;
    } else if (character === "," && depth > 0) source += "|";
    else source += escapeRegExp(character);
  }
  if (depth > 0) return new RegExp(`^${escapeRegExp(glob)}$`, "s");
  return new RegExp(`^${source}$`, "s");
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
