/** Owns the routes of SAML (docs/compat/auth.md 1, "SAML"). */

import type { Auth } from "../../src/auth/kit/auth.ts";
import type { AuthEndpoint } from "../../src/auth/kit/endpoint.ts";
import { methodNotAllowed, notFound, notImplemented } from "../../src/auth/kit/errors.ts";
import type { AuthRequest } from "../../src/auth/kit/request-fields.ts";
import { forAdmins } from "../../src/auth/users/signed-in-caller.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { Router } from "../../src/http/router.ts";
import {
  createProvider,
  deleteProvider,
  getProvider,
  listProviders,
  updateProvider,
} from "./admin-connections.ts";
import { consumeAssertion } from "./assertion-consumer.ts";
import { type ServiceProvider, serviceProvider } from "./service-provider.ts";
import { serviceMetadata, signInBySso } from "./sign-in.ts";

/** An endpoint that exists while SAML is on. */
function whenOn(
  endpoint: (
    auth: Auth,
    provider: ServiceProvider,
    request: AuthRequest,
  ) => ServiceResponse | Promise<ServiceResponse>,
): AuthEndpoint<never> {
  return (auth, request) => {
    const saml = serviceProvider(auth);
    if (!saml) throw notFound("saml_provider_disabled", "SAML 2.0 is disabled");
    return endpoint(auth, saml, request);
  };
}

const router = new Router<AuthEndpoint<"id">, "id">([
  ["POST", "/sso", whenOn(signInBySso)],
  ["GET", "/sso/saml/metadata", whenOn(serviceMetadata)],
  ["POST", "/sso/saml/acs", whenOn(consumeAssertion)],
  ...["/sso", "/sso/saml/metadata", "/sso/saml/acs"].map(
    (path) => ["*", path, whenOn(methodNotAllowed)] as const,
  ),
  [
    "*",
    "/sso/*rest",
    whenOn(() => {
      throw notFound("unknown", "404 page not found");
    }),
  ],
  ...forAdmins<"id">([
    ["GET", "/admin/sso/providers", listProviders],
    ["POST", "/admin/sso/providers", createProvider],
    ["GET", "/admin/sso/providers/:id", getProvider],
    ["PUT", "/admin/sso/providers/:id", updateProvider],
    ["DELETE", "/admin/sso/providers/:id", deleteProvider],
  ]),
]);

/**
 * /sso, /admin/sso and below. @throws AuthError saml_provider_disabled while SAML is off, and the endpoint's
 * own errors.
 */
export async function endpoint(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { method, segments } = request;
  const found = router.match(method, segments);
  if (!found) throw notImplemented(`${method} /${segments.join("/")}`);
  return found.handler(auth, request, found.values);
}

/** Reads the key. @throws ConfigError */
export const prepare = (auth: Auth): void => {
  serviceProvider(auth);
};
