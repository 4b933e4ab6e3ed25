/**
 * Owns the table of public paths: the service of each prefix, and the paths that need no API key
 * (docs/compat/platform.md 2.1).
 */

export type ServiceName =
  | "auth"
  | "rest"
  | "rest-admin"
  | "realtime"
  | "storage"
  | "functions"
  | "meta"
  | "mcp";

export interface Route {
  service: ServiceName;
  /** The path with the prefix cut off, beginning with "/". */
  path: string;
  /** Whether a valid API key is required. */
  keyNeeded: boolean;
  /** Whether only a secret key is let in, also where requests without a key are. */
  secretKeyNeeded?: boolean;
  /** Whether pages of other origins cannot read it: the gateway adds no CORS headers. */
  ownPagesOnly?: boolean;
  /** Headers that the gateway adds to the request. */
  headers?: Record<string, string>;
}

/** The body of a response where no service has the path. */
export const NO_ROUTE = { message: "no Route matched with those values" };

/** Auth paths that browsers, mail clients and applications of the OAuth server open without a key. */
const OPEN_AUTH =
  /^\/(?:verify|callback|authorize|\.well-known\/(?:jwks\.json|openid-configuration|oauth-authorization-server)|sso\/saml\/(?:acs|metadata)|homebase\/|oauth\/(?:authorize|token|userinfo|clients\/register)$)/;

/** The page that stands in for a provider: it lists accounts, and its form signs in. */
const STAND_IN_PAGE = /^\/+homebase\/+oauth\/+[^/]+\/+authorize\/*$/;

/** Paths of PostgREST's admin server that only tell whether it runs. */
const PROBE = /^\/(?:live|ready)$/;

/** The path of RFC 8414's metadata for an issuer with a path: the well-known part comes first. */
const ISSUER_METADATA = "/.well-known/oauth-authorization-server";

/** Finds the service for a request path (without query), or undefined when nothing matches. */
export function route(pathname: string): Route | undefined {
  if (pathname === ISSUER_METADATA || pathname === `${ISSUER_METADATA}/auth/v1`) {
    return { service: "auth", path: ISSUER_METADATA, keyNeeded: false };
  }
  // It has a token of its own (mcp/access.ts), and no page may read it.
  if (pathname === "/mcp") return { service: "mcp", path: "/", keyNeeded: false, ownPagesOnly: true };
  if (pathname.startsWith("/pg/")) {
    return { service: "meta", path: pathname.slice("/pg".length), keyNeeded: true, secretKeyNeeded: true };
  }
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
    case "rest-admin":
      // Whether the service runs is no secret, and probes have no key.
      if (PROBE.test(rest)) return { service: "rest-admin", path: rest, keyNeeded: false };
      return { service: "rest-admin", path: rest, keyNeeded: true, secretKeyNeeded: true };
    case "auth":
      return {
        service: "auth",
        path: rest,
        keyNeeded: !OPEN_AUTH.test(rest),
        ...(STAND_IN_PAGE.test(rest) ? { ownPagesOnly: true } : {}),
      };
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
