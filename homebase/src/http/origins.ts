/**
 * Owns who may use secret rights: which Host names are this machine's own, and which pages are the
 * developer's. A page that a browser shows can reach loopback addresses too, by CORS or by a name that it
 * makes point here (DNS rebinding), and the development keys are public.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { Foreign } from "./exchange.ts";

export interface OwnAddresses {
  /** The app's addresses: `[auth] site_url` and `additional_redirect_urls`; `*` stands for a subdomain. */
  pages: readonly string[];
  /** The server's addresses beside loopback: `[api] external_url`. */
  urls: readonly string[];
  /** The address that the server is bound to. */
  boundTo: string;
}

const AUTHORITY = /^([a-z][a-z0-9+.-]*):\/\/(?:[^@/?#]*@)?([^/?#\\]+)/i;
/** Containers on this machine know it by this name. */
const CONTAINER_HOST = "host.docker.internal";
const ANY_ADDRESS = new Set(["0.0.0.0", "::", "*"]);
const MOST_REMEMBERED = 1_000;

/** See the file's head. */
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

  /** Whether a Host header names this machine. No Host at all does not. */
  ownsHost(host: string | undefined): boolean {
    if (host === undefined) return false;
    return remembered(this.#knownHosts, host, () => {
      const name = hostName(host);
      if (name === undefined) return false;
      // A page's name can be made to point anywhere; an address in a Host header is the one connected to.
      return isLoopback(name) || this.#hosts.has(name) || (this.#anyAddress && isIP(name) > 0);
    });
  }

  /** Whether a page of this origin is the developer's own: on loopback, or named in the configuration. */
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
        message: `Secret keys do not work under the host name ${host ?? "(none)"}.`,
        hint: "Use 127.0.0.1 or localhost, or set [api] external_url in supabase/config.toml to this address.",
      };
    }
    if (origin !== undefined) {
      if (this.ownsOrigin(origin) || hostOfUrl(origin) === hostName(host ?? "")) return undefined;
    } else if (site !== "cross-site") return undefined;
    return {
      message: `Secret keys do not work from web pages of ${origin ?? "another site"}.`,
      hint: "Keep secret keys on a server. For a page of your own, add its address to [auth] additional_redirect_urls in supabase/config.toml.",
    };
  }
}

/** Whether a page's request comes from the page's own server, or from no page at all. */
export function isSameOrigin({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined) return AUTHORITY.exec(origin)?.[2]?.toLowerCase() === host?.toLowerCase();
  return site === undefined || site === "same-origin" || site === "none";
}

/** A Host header's name without its port, in lower case, IPv6 without brackets; undefined when it is none. */
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
 * The pattern of an address's origin. A wildcard may stand for labels before a name of two labels at
 * least, as in `https://*.example.com`: a pattern that fits any page grants nothing.
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
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const answer = judge();
  known.set(text, answer);
  return answer;
}
