/** Owns client authentication at the token endpoint (OAuth 2.1, 2.4; RFC 7591). */

import type { Auth } from "../../src/auth/kit/auth.ts";
import { badRequest } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, bodyMembers, formFields } from "../../src/auth/kit/request-fields.ts";
import { equalSecrets } from "../../src/core/equal-secrets.ts";
import { isUuid } from "../../src/core/uuid.ts";
import { type ClientRow, findClient, hashOf } from "./clients.ts";

/** The parameters of a token request, from JSON or a form. */
export type TokenParameters = (name: string) => string;

/** Reads the body of a token request. @throws AuthError bad_json */
export async function tokenParameters(request: AuthRequest): Promise<TokenParameters> {
  if (request.headers["content-type"]?.includes("application/json")) {
    const members = await bodyMembers(request);
    return (name) => (typeof members[name] === "string" ? members[name] : "");
  }
  const form = await formFields(request);
  return (name) => form.get(name) ?? request.query.get(name) ?? "";
}

interface Credentials {
  id: string;
  secret: string;
  method: "client_secret_basic" | "client_secret_post" | "none";
}

const refused = (message: string) => badRequest("invalid_credentials", message);

/** Authenticates the client by its registered method. @throws AuthError invalid_credentials */
export async function authenticateClient(
  auth: Auth,
  request: AuthRequest,
  parameters: TokenParameters,
): Promise<ClientRow> {
  const { id, secret, method } = credentials(request, parameters);
  if (id === "") throw refused("Invalid client credentials: client_id is required");
  if (!isUuid(id)) throw refused("Invalid client_id format");
  const client = await findClient(auth, id);
  if (!client) throw refused("Invalid client credentials");
  const registered = client.token_endpoint_auth_method;
  if (method !== registered) {
    throw refused(
      `invalid authentication method: client is registered for '${registered}' but '${method}' was used`,
    );
  }
  if (client.client_type === "confidential" && !isSecret(secret, client.client_secret_hash)) {
    throw refused("invalid client credentials");
  }
  return client;
}

function credentials({ authorization }: AuthRequest, parameters: TokenParameters): Credentials {
  const basic = /^Basic (.*)$/.exec(authorization ?? "")?.[1];
  if (basic === undefined) {
    const secret = parameters("client_secret");
    return { id: parameters("client_id"), secret, method: secret === "" ? "none" : "client_secret_post" };
  }
  if (!/^[A-Za-z\d+/]*={0,2}$/.test(basic))
    throw refused("Invalid client credentials: invalid basic auth encoding");
  const text = Buffer.from(basic, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw refused("Invalid client credentials: invalid basic auth format");
  return {
    id: formDecoded(text.slice(0, colon)),
    secret: formDecoded(text.slice(colon + 1)),
    method: "client_secret_basic",
  };
}

/** RFC 6749, 2.3.1 form-encodes both; the ids and secrets of this server contain nothing to encode. */
function formDecoded(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll("&", "%26")}`).get("value") ?? "";
}

function isSecret(secret: string, hash: string | null): boolean {
  return equalSecrets(hashOf(secret), hash ?? "");
}
