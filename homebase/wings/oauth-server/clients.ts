/**
 * Owns the client applications of the OAuth server: /admin/oauth/clients and dynamic registration
 * (docs/compat/auth.md 1, "OAuth server").
 */

import { createHash, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { read } from "../../src/auth/kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../../src/auth/kit/auth.ts";
import { DatabaseFailure, forbidden, notFound, validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, fields, json } from "../../src/auth/kit/request-fields.ts";
import { isUuid } from "../../src/core/uuid.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { redirectUriFault } from "./redirects.ts";

const GRANTS = ["authorization_code", "refresh_token"];
const METHODS = ["none", "client_secret_basic", "client_secret_post"];
const NAME_LIMIT = 1024;
const URI_LIMIT = 2048;
const MOST_REDIRECTS = 10;

const changes = z.object({
  redirect_uris: z.array(z.string()).optional(),
  grant_types: z.array(z.string()).optional(),
  client_name: z.string().optional(),
  client_uri: z.string().optional(),
  logo_uri: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
});
const registration = changes.extend({ client_type: z.string().default("") });

type Changes = z.output<typeof changes>;

/** A row of auth.oauth_clients as this file reads it; lists are stored joined by commas. */
export interface ClientRow {
  id: string;
  registration_type: "manual" | "dynamic";
  client_type: "public" | "confidential";
  token_endpoint_auth_method: string;
  redirect_uris: string;
  grant_types: string;
  client_name: string | null;
  client_uri: string | null;
  logo_uri: string | null;
  created_at: string;
  updated_at: string;
  client_secret_hash: string | null;
}

/** POST /admin/oauth/clients */
export function createClient(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  return register(auth, request, "manual");
}

/** POST /oauth/clients/register (RFC 7591) */
export function registerClientApplication(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  if (!auth.config.oauth_server.allow_dynamic_registration) {
    throw forbidden(
      "oauth_dynamic_client_registration_disabled",
      "Dynamic client registration is not enabled",
    );
  }
  return register(auth, request, "dynamic");
}

async function register(
  auth: Auth,
  request: AuthRequest,
  how: ClientRow["registration_type"],
): Promise<ServiceResponse> {
  const given = await fields(request, registration);
  // Upstream wraps its own validation error, including the status, in a second one.
  const fault = registrationFault(given, given.client_type);
  if (fault) throw validationFailed(`400: ${fault}`);
  const method = given.token_endpoint_auth_method || undefined;
  const open = given.client_type ? given.client_type === "public" : method === "none";
  const secret = open ? undefined : newSecret();
  const now = currentTime(auth);
  const row: ClientRow = {
    id: randomUUID(),
    registration_type: how,
    client_type: open ? "public" : "confidential",
    token_endpoint_auth_method: method ?? (open ? "none" : "client_secret_basic"),
    redirect_uris: (given.redirect_uris ?? []).join(","),
    grant_types: (given.grant_types?.length ? given.grant_types : GRANTS).join(","),
    client_name: given.client_name || null,
    client_uri: given.client_uri || null,
    logo_uri: given.logo_uri || null,
    created_at: now,
    updated_at: now,
    client_secret_hash: secret === undefined ? null : hashOf(secret),
  };
  const columns = Object.keys(row);
  await read(
    auth.context.database,
    `insert into oauth_clients (${columns.join(", ")})
     values (${columns.map((_, index) => `$${index + 1}`).join(", ")})`,
    Object.values(row),
  ).catch((error: unknown) => {
    throw new DatabaseFailure("Error creating OAuth client", error);
  });
  return json(201, clientJson(row, secret));
}

type ClientEndpoint = (auth: Auth, request: AuthRequest, values: { id: string }) => Promise<ServiceResponse>;

/** An endpoint of an administrator on one client. */
function ofClient(
  run: (auth: Auth, request: AuthRequest, row: ClientRow) => Promise<ServiceResponse>,
): ClientEndpoint {
  return async (auth, request, { id }) => run(auth, request, await find(auth, id));
}

/** GET /admin/oauth/clients/{client_id} */
export const getClient = ofClient(async (_auth, _request, row) => json(200, clientJson(row)));

/** POST /admin/oauth/clients/{client_id}/regenerate_secret */
export const regenerateSecret = ofClient(async (auth, _request, row) => {
  if (row.client_type === "public") throw validationFailed("Cannot regenerate secret for public client");
  const secret = newSecret();
  const now = currentTime(auth);
  await read(
    auth.context.database,
    "update oauth_clients set client_secret_hash = $2, updated_at = $3 where id = $1",
    [row.id, hashOf(secret), now],
  );
  return json(200, clientJson({ ...row, updated_at: now }, secret));
});

/** DELETE /admin/oauth/clients/{client_id} */
export const deleteClient = ofClient(async (auth, _request, row) => {
  await read(
    auth.context.database,
    "update oauth_clients set deleted_at = $2, updated_at = $2 where id = $1",
    [row.id, currentTime(auth)],
  );
  return { status: 204, headers: {}, body: "" };
});

/** PUT /admin/oauth/clients/{client_id} */
export const updateClient = ofClient(update);

async function update(auth: Auth, request: AuthRequest, row: ClientRow): Promise<ServiceResponse> {
  const given = await fields(request, changes);
  if (Object.values(given).every((value) => value === undefined)) {
    throw validationFailed("No fields provided for update");
  }
  const fault = changeFault(given) ?? methodFault(row.client_type, given.token_endpoint_auth_method);
  if (fault) throw validationFailed(fault);
  const orStored = (value: string | undefined, before: string | null) =>
    value === undefined ? before : value || null;
  const changed: ClientRow = {
    ...row,
    redirect_uris: given.redirect_uris?.join(",") ?? row.redirect_uris,
    grant_types: given.grant_types?.join(",") ?? row.grant_types,
    client_name: orStored(given.client_name, row.client_name),
    client_uri: orStored(given.client_uri, row.client_uri),
    logo_uri: orStored(given.logo_uri, row.logo_uri),
    token_endpoint_auth_method: given.token_endpoint_auth_method || row.token_endpoint_auth_method,
    updated_at: currentTime(auth),
  };
  await read(
    auth.context.database,
    `update oauth_clients set redirect_uris = $2, grant_types = $3, client_name = $4, client_uri = $5,
       logo_uri = $6, token_endpoint_auth_method = $7, updated_at = $8 where id = $1`,
    [
      row.id,
      changed.redirect_uris,
      changed.grant_types,
      changed.client_name,
      changed.client_uri,
      changed.logo_uri,
      changed.token_endpoint_auth_method,
      changed.updated_at,
    ],
  ).catch((error: unknown) => {
    throw new DatabaseFailure("Error updating OAuth client", error);
  });
  return json(200, clientJson(changed));
}

/** GET /admin/oauth/clients */
export async function listClients(auth: Auth): Promise<ServiceResponse> {
  const rows = await read<{ client: ClientRow }>(
    auth.context.database,
    `select to_jsonb(c) as client from oauth_clients c where deleted_at is null order by created_at desc`,
  );
  // An empty list is omitted, as upstream.
  return json(200, rows.length === 0 ? {} : { clients: rows.map(({ client }) => clientJson(client)) });
}

async function find(auth: Auth, id: string): Promise<ClientRow> {
  if (!isUuid(id)) throw validationFailed("invalid client_id format");
  const found = await findClient(auth, id);
  if (!found) throw notFound("oauth_client_not_found", "OAuth client not found");
  return found;
}

/** A client that is not deleted. @param id a UUID. */
export async function findClient(auth: Auth, id: string): Promise<ClientRow | undefined> {
  const [found] = await read<{ client: ClientRow }>(
    auth.context.database,
    "select to_jsonb(c) as client from oauth_clients c where id = $1 and deleted_at is null",
    [id],
  );
  return found?.client;
}

/**
 * A client in the API's format; the secret is included only when it was just created, since only its hash is
 * stored.
 */
function clientJson(row: ClientRow, secret?: string): Record<string, unknown> {
  return {
    client_id: row.id,
    client_secret: secret,
    client_type: row.client_type,
    redirect_uris: row.redirect_uris.split(","),
    token_endpoint_auth_method: row.token_endpoint_auth_method,
    grant_types: row.grant_types.split(","),
    response_types: ["code"],
    ...(row.client_name ? { client_name: row.client_name } : {}),
    ...(row.client_uri ? { client_uri: row.client_uri } : {}),
    ...(row.logo_uri ? { logo_uri: row.logo_uri } : {}),
    registration_type: row.registration_type,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** Pages show these as links and pictures: a script in one would run there. */
const WEB_ADDRESS = /^(?:https?:\/\/|\/)/i;
const newSecret = () => randomBytes(32).toString("base64url");
/** The stored hash of a secret. */
export const hashOf = (secret: string) => createHash("sha256").update(secret).digest("base64url");

/** Validates a registration. @returns the error, or undefined. */
function registrationFault(given: Changes, type: string): string | undefined {
  if (!given.redirect_uris?.length) return "redirect_uris is required";
  const grants = given.grant_types?.length ? given.grant_types : undefined;
  const fault = changeFault({ ...given, grant_types: grants });
  if (fault) return fault;
  if (type !== "" && type !== "public" && type !== "confidential") {
    return "client_type must be 'public' or 'confidential'";
  }
  return methodFault(type, given.token_endpoint_auth_method);
}

function changeFault(given: Changes): string | undefined {
  const { redirect_uris: redirects, grant_types: grants } = given;
  if (redirects?.length === 0) return "redirect_uris cannot be empty";
  if (redirects && redirects.length > MOST_REDIRECTS) {
    return `redirect_uris cannot exceed ${MOST_REDIRECTS} items`;
  }
  for (const uri of redirects ?? []) {
    const fault = redirectUriFault(uri);
    if (fault) return `invalid redirect_uri '${uri}': ${fault}`;
  }
  if (grants?.length === 0) return "grant_types cannot be empty";
  if (grants?.some((grant) => !GRANTS.includes(grant))) {
    return "grant_types must only contain 'authorization_code' and/or 'refresh_token'";
  }
  if (Buffer.byteLength(given.client_name ?? "") > NAME_LIMIT) {
    return `client_name cannot exceed ${NAME_LIMIT} characters`;
  }
  for (const member of ["client_uri", "logo_uri"] as const) {
    const uri = given[member];
    if (!uri) continue;
    if (Buffer.byteLength(uri) > URI_LIMIT) return `${member} cannot exceed ${URI_LIMIT} characters`;
    if (!WEB_ADDRESS.test(uri) || !URL.canParse(uri, "http://localhost"))
      return `${member} must be a valid URL`;
  }
  return undefined;
}

/** A public client has no secret; a confidential one must authenticate. */
function methodFault(type: string, method: string | undefined): string | undefined {
  if (!method) return undefined;
  if (!METHODS.includes(method)) {
    return `token_endpoint_auth_method must be one of: [${METHODS.join(" ")}]`;
  }
  const expected = method === "none" ? "public" : "confidential";
  if (type === "" || type === expected) return undefined;
  return (
    `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}' ` +
    `(expected client_type '${expected}')`
  );
}
