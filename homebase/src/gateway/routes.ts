/**
 * Owns the table of public paths: which prefix leads to which service, and which of them are open to
 * callers without an API key (docs/compat/platform.md 2.1).
 */

export type ServiceName = "auth" | "rest" | "realtime" | "storage" | "functions";

export interface Route {
  service: ServiceName;
  /** The path with the prefix cut off, beginning with "/". */
  path: string;
  /** Whether a valid API key must come with the request. */
  keyNeeded: boolean;
  /** Headers that the gateway puts on the request. */
  headers?: Record<string, string>;
}

/** Auth paths that browsers and mail clients open without a key. */
const OPEN_AUTH =
  /^\/(?:verify|callback|authorize|\.well-known\/(?:jwks\.json|openid-configuration|oauth-authorization-server)|sso\/saml\/(?:acs|metadata)|homebase\/)/;

/** Finds the service for a request path (without query), or undefined when nothing matches. */
export function route(pathname: string): Route | undefined {
  const [, first = "", version = ""] = pathname.split("/", 3);
  if (version !== "v1") return undefined;
  const prefix = first.length + version.length + 2;
  const rest = pathname.slice(prefix);
  if (first === "graphql" && (rest === "" || rest === "/")) {
    return {
      service: "rest",
      path: "/rpc/graphql",
      keyNeeded: true,
      headers: { "content-profile": "graphql_public" },
    };
  }
  // A prefix without its slash has no service, as on hosted.
  if (!rest.startsWith("/")) return undefined;
  switch (first) {
    case "rest":
      return { service: "rest", path: rest, keyNeeded: true };
    case "auth":
      return { service: "auth", path: rest, keyNeeded: !OPEN_AUTH.test(rest) };
    case "realtime":
      return { service: "realtime", path: rest, keyNeeded: true };
    case "storage":
      return { service: "storage", path: rest, keyNeeded: false };
    case "functions":
      return { service: "functions", path: rest, keyNeeded: false };
    default:
      return undefined;
  }
}
