/**
 * Owns the table of public paths: the service of each prefix, and the paths that need no API key
 * (docs/compat/platform.md 2.1).
 */

import { Router, type Route as TableRoute } from "../http/router.ts";

/** In the order in which they start. */
export const SERVICES = [
  "rest",
  "rest-admin",
  "auth",
  "storage",
  "realtime",
  "functions",
  "meta",
  "mcp",
] as const;
export type ServiceName = (typeof SERVICES)[number];

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

/** The path of RFC 8414's metadata for an issuer with a path: the well-known part comes first. */
const ISSUER_METADATA = "/.well-known/oauth-authorization-server";

/** Auth paths that browsers, mail clients and applications of the OAuth server open without a key. */
const OPEN_AUTH = [
  "/verify",
  "/callback",
  "/authorize",
  "/.well-known/jwks.json",
  "/.well-known/openid-configuration",
  ISSUER_METADATA,
  "/sso/saml/acs",
  "/sso/saml/metadata",
  "/homebase",
];
/** The same without what is below them. */
const OPEN_OAUTH = ["/oauth/authorize", "/oauth/token", "/oauth/userinfo", "/oauth/clients/register"];

type Destination = Omit<Route, "path"> & { path?: string };

const router = new Router<Destination, "rest">([
  ["*", ISSUER_METADATA, { service: "auth", path: ISSUER_METADATA, keyNeeded: false }],
  ["*", `${ISSUER_METADATA}/auth/v1`, { service: "auth", path: ISSUER_METADATA, keyNeeded: false }],
  // It has a token of its own (mcp/access.ts), and no page may read it.
  ["*", "/mcp", { service: "mcp", path: "/", keyNeeded: false, ownPagesOnly: true }],
  ["*", "/pg/*rest", { service: "meta", keyNeeded: true, secretKeyNeeded: true }],
  ...["/graphql/v1", "/graphql/v1/"].map((path): TableRoute<Destination> => {
    const headers = { "content-profile": "graphql_public" };
    return ["*", path, { service: "rest", path: "/rpc/graphql", keyNeeded: true, headers }];
  }),
  // A prefix without its slash has no service, as on hosted.
  ["*", "/rest/v1/*rest", { service: "rest", keyNeeded: true }],
  // Whether the service runs is no secret, and probes have no key.
  ["*", "/rest-admin/v1/live", { service: "rest-admin", path: "/live", keyNeeded: false }],
  ["*", "/rest-admin/v1/ready", { service: "rest-admin", path: "/ready", keyNeeded: false }],
  ["*", "/rest-admin/v1/*rest", { service: "rest-admin", keyNeeded: true, secretKeyNeeded: true }],
  ["*", "/auth/v1/*rest", { service: "auth", keyNeeded: true }],
  ["*", "/realtime/v1/*rest", { service: "realtime", keyNeeded: true }],
  ["*", "/storage/v1/*rest", { service: "storage", keyNeeded: false }],
  ["*", "/functions/v1/*rest", { service: "functions", keyNeeded: false }],
]);

/** Exceptions of Auth. Auth ignores empty segments, so these are matched without them. */
const authRouter = new Router<Partial<Route>, "provider" | "rest">([
  // The page that stands in for a provider: it lists accounts, and its form signs in.
  ["*", "/homebase/oauth/:provider/authorize", { keyNeeded: false, ownPagesOnly: true }],
  ...OPEN_OAUTH.map((path) => ["*", path, { keyNeeded: false }] as const),
  ...OPEN_AUTH.flatMap((path): TableRoute<Partial<Route>>[] => [
    ["*", path, { keyNeeded: false }],
    ["*", `${path}/*rest`, { keyNeeded: false }],
  ]),
]);

/** Finds the service for a request path (without query), or undefined when nothing matches. */
export function route(pathname: string): Route | undefined {
  const found = router.match("*", pathname);
  if (!found) return undefined;
  const path = found.handler.path ?? `/${found.values.rest}`;
  const exception =
    found.handler.service === "auth" && authRouter.match("*", path.split("/").filter(Boolean));
  return { ...found.handler, path, ...(exception ? exception.handler : {}) };
}
