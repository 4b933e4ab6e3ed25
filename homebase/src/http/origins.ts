/**
 * Owns who may use secret rights: this machine's own Host names, and the developer's own origins. A page in a
 * browser can also reach loopback addresses, by CORS or by a name that resolves to one (DNS rebinding), and
 * the development keys are public.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Foreign } from "./exchange.ts";

export interface OwnAddresses {
  /** The app's URLs: `[auth] site_url` and `additional_redirect_urls`; `*` matches a subdomain. */
  pages: readonly string[];
  /** The server's URLs besides loopback: `[api] external_url`. */
  urls: readonly string[];
  /** The address that the server listens on. */
  boundTo: string;
}

const AUTHORITY = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/?#]*@)?([^/?#\\]+)/i;
/** This machine's name inside containers. */
const CONTAINER_HOST = "host.docker.internal";
const ANY_ADDRESS = new Set(["0.0.0.0", "::", "*"]);
const MOST_REMEMBERED = 1_000;
const LONGEST_REMEMBERED = 256;

/** The allowed hosts and origins. */
export class OwnOrigins {
  readonly #hosts: ReadonlySet<string>;
  readonly #anyAddress: boolean;
  readonly #origins: readonly RegExp[];
  readonly #knownHosts = new Map<string, boolean>();
  readonly #knownOrigins = new Map<string, boolean>();

  constructor({ pages, urls, boundTo }: OwnAddresses) {
    this.#hosts = new Set([CONTAINER_HOST, boundTo, ...urls.map(hostOfUrl)].map((one) => one.toLowerCase()));
    this.#anyAddress = ANY_ADDRESS.has(boundTo);
    this.#origins = [...pages, ...urls].flatMap(originPattern);
  }

  /** Whether a Host header names this machine. False without one. */
  ownsHost(host: string | undefined): boolean {
    if (host === undefined) return false;
    return remembered(this.#knownHosts, host, () => {
      const name = hostName(host);
      if (name === undefined) return false;
      // A name can be made to resolve to any address; an IP address in a Host header is the real one.
      return isLoopback(name) || this.#hosts.has(name) || (this.#anyAddress && isIP(name) > 0);
    });
  }

  /** Whether an origin is the developer's own: on loopback, or configured. */
  ownsOrigin(origin: string): boolean {
    return remembered(this.#knownOrigins, origin, () => {
      const [, scheme, authority] = AUTHORITY.exec(origin) ?? [];
      if (scheme === undefined || authority === undefined) return false;
      const name = hostName(authority);
      if (name !== undefined && isLoopback(name) && /^https?$/i.test(scheme)) return true;
      return this.#origins.some((pattern) => pattern.test(origin.toLowerCase()));
    });
  }

  /** Why a request may not use secret rights; undefined when it may. */
  foreign({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): Foreign | undefined {
    if (!this.ownsHost(host)) {
      return {
        by: "host",
        message: `Secret keys do not work under the host name ${host ?? "(none)"}.`,
        hint: "Use 127.0.0.1 or localhost, or set [api] external_url in the project's configuration to this address.",
      };
    }
    if (origin !== undefined) {
      if (this.ownsOrigin(origin) || hostOfUrl(origin) === hostName(host ?? "")) return undefined;
    } else if (site !== "cross-site") return undefined;
    return {
      by: "page",
      message: `Secret keys do not work from web pages of ${origin ?? "another site"}.`,
      hint: "Keep secret keys on a server. For a page of your own, add its address to [auth] additional_redirect_urls in the project's configuration.",
    };
  }
}

/** Whether the request is same-origin, or not from a page. */
export function isSameOrigin({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined) return AUTHORITY.exec(origin)?.[2]?.toLowerCase() === host?.toLowerCase();
  return site === undefined || site === "same-origin" || site === "none";
}

/** A Host header's name without its port, in lower case, IPv6 without brackets; undefined when invalid. */
function hostName(host: string): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host);
  return (found?.[1] ?? found?.[2])?.toLowerCase().replace(/\.$/, "");
}

function isLoopback(name: string): boolean {
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    (isIP(name) === 4 && name.startsWith("127."))
  );
}

function hostOfUrl(url: string): string {
  return hostName(AUTHORITY.exec(url)?.[2] ?? "") ?? "";
}

/**
 * A pattern for a URL's origin. A wildcard is allowed before a name of at least two labels, as in
 * `https://*.example.com`: broader patterns grant nothing.
 */
function originPattern(address: string): RegExp[] {
  const [, scheme = "", authority] = AUTHORITY.exec(address) ?? [];
  if (authority === undefined) return [];
  const named = authority.replace(/:[\d*]+$/, "");
  const labels = named.split(".").slice(-2);
  if (named.includes("*") && (labels.length < 2 || labels.some((label) => label.includes("*")))) return [];
  const source = `${scheme}://${authority}`
    .toLowerCase()
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, "[a-z0-9-]+(?:\\.[a-z0-9-]+)*");
  return [new RegExp(`^${source}$`)];
}

function remembered(known: Map<string, boolean>, text: string, judge: () => boolean): boolean {
  if (text.length > LONGEST_REMEMBERED) return judge();
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const answer = judge();
  known.set(text, answer);
  return answer;
}
