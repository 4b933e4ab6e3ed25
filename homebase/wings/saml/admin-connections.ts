/**
 * Owns /admin/sso/providers: administrators' connections to identity providers (docs/compat/auth.md 1, "SAML";
 * supabase/auth, internal/api/ssoadmin.go). They may be prepared while SAML is off.
 */

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { readerOf, type Transaction, transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import type { AuthEndpoint } from "../../src/auth/kit/endpoint.ts";
import {
  badRequest,
  isPostgresError,
  notFound,
  unprocessable,
  validationFailed,
} from "../../src/auth/kit/errors.ts";
import { type AuthRequest, fields, json } from "../../src/auth/kit/request-fields.ts";
import { isUuid } from "../../src/core/uuid.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import {
  type Connection,
  connectionJson,
  findByEntityId,
  findByResource,
  findConnection,
  findOwnerOfDomain,
  isResource,
  listConnections,
  mappingJson,
} from "./connections.ts";
import { fetchMetadata, type IdentityProvider, parseMetadata } from "./metadata.ts";

const NAME_ID_FORMATS = [
  "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
];
const UNIQUE_VIOLATION = "23505";

const rule = z.object({
  name: z
    .string()
    .nullish()
    .transform((name) => name ?? undefined),
  names: z
    .array(z.string())
    .nullish()
    .transform((names) => names ?? undefined),
  default: z.unknown().optional(),
  array: z
    .boolean()
    .nullish()
    .transform((array) => array ?? undefined),
});
const connectionBody = z.object({
  type: z.string().default(""),
  metadata_url: z.string().default(""),
  metadata_xml: z.string().default(""),
  domains: z.array(z.string()).optional(),
  attribute_mapping: z
    .object({ keys: z.record(z.string(), rule).nullish() })
    .default({})
    .transform(({ keys }) => ({ keys: keys ?? undefined })),
  name_id_format: z.string().default(""),
  resource_id: z.string().optional(),
  disabled: z.boolean().optional(),
});
type ConnectionBody = z.output<typeof connectionBody>;

/** GET /admin/sso/providers */
export async function listProviders(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const found = await listConnections(readerOf(auth.context.database), {
    resourceId: request.query.get("resource_id"),
    prefix: request.query.get("resource_id_prefix"),
  });
  return json(200, { items: found.map((connection) => connectionJson(connection, false)) });
}

/** POST /admin/sso/providers */
export async function createProvider(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, connectionBody);
  check(given, false);
  const { text, provider } = await metadataOf(given);
  const { entityId } = provider;
  const taken = () =>
    unprocessable(
      "saml_idp_already_exists",
      `SAML Identity Provider with this EntityID (${entityId}) already exists`,
    );
  const id = randomUUID();
  const created = await transact(auth, request, async (call) => {
    if (await findByEntityId(call, entityId)) throw taken();
    for (const domain of given.domains ?? []) {
      const owner = await findOwnerOfDomain(call, domain);
      if (owner) {
        throw domainTaken(
          `SSO Domain '${domain}' is already assigned to an SSO identity provider (${owner.id})`,
        );
      }
    }
    const { now } = call;
    call.enqueue(
      "insert into sso_providers (id, resource_id, disabled, created_at, updated_at) values ($1, $2, $3, $4, $4)",
      [id, given.resource_id || null, given.disabled ?? null, now],
    );
    call.enqueue(
      `insert into saml_providers (id, sso_provider_id, entity_id, metadata_xml, metadata_url, attribute_mapping,
         name_id_format, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      [
        randomUUID(),
        id,
        entityId,
        text,
        given.metadata_url || null,
        JSON.stringify(mappingJson(given.attribute_mapping)),
        given.name_id_format || null,
        now,
      ],
    );
    addDomains(call, id, [...new Set(given.domains)], now);
    return findConnection(call, id);
  }).catch((error: unknown) => {
    throw conflict(error);
  });
  return json(201, connectionJson(created as Connection));
}

/** GET /admin/sso/providers/{id} */
export const getProvider: AuthEndpoint<"id"> = async (auth, _request, { id }) => {
  return json(200, connectionJson(await load(auth, id)));
};

/**
 * PUT /admin/sso/providers/{id}: members that are absent stay as they are, except name_id_format, which is
 * cleared, as upstream.
 */
export const updateProvider: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const present = await load(auth, id);
  const given = await fields(request, connectionBody);
  check(given, true);
  const changed =
    given.metadata_xml !== "" || given.metadata_url !== "" ? await metadataOf(given) : undefined;
  const { saml } = present;
  if (changed && changed.provider.entityId !== saml.entity_id) {
    throw badRequest(
      "saml_entity_id_mismatch",
      `SAML Metadata can be updated only if the EntityID matches for the provider; expected '${saml.entity_id}' but got '${changed.provider.entityId}'`,
    );
  }
  const next = {
    resource_id: given.resource_id === undefined ? present.resource_id : given.resource_id || null,
    disabled: given.disabled ?? present.disabled,
    metadata_xml: changed?.text ?? saml.metadata_xml,
    metadata_url: given.metadata_url || saml.metadata_url,
    attribute_mapping: given.attribute_mapping.keys
      ? mappingJson(given.attribute_mapping)
      : (saml.attribute_mapping ?? {}),
    name_id_format: given.name_id_format || null,
  };
  const former = {
    resource_id: present.resource_id,
    disabled: present.disabled,
    metadata_xml: saml.metadata_xml,
    metadata_url: saml.metadata_url,
    attribute_mapping: saml.attribute_mapping ?? {},
    name_id_format: saml.name_id_format,
  };
  const updated = await transact(auth, request, async (call) => {
    const added = await newDomains(call, present, given.domains);
    const removed = present.domains.filter(({ domain }) => given.domains && !given.domains.includes(domain));
    if (added.length + removed.length === 0 && !changed && isDeepStrictEqual(next, former)) return present;
    const { now } = call;
    call.enqueue("update sso_providers set resource_id = $2, disabled = $3, updated_at = $4 where id = $1", [
      present.id,
      next.resource_id,
      next.disabled,
      now,
    ]);
    call.enqueue(
      `update saml_providers set metadata_xml = $2, metadata_url = $3, attribute_mapping = $4,
         name_id_format = $5, updated_at = case when $7 then $6 else updated_at end where sso_provider_id = $1`,
      [
        present.id,
        next.metadata_xml,
        next.metadata_url,
        JSON.stringify(next.attribute_mapping),
        next.name_id_format,
        now,
        changed !== undefined,
      ],
    );
    call.enqueue("delete from sso_domains where sso_provider_id = $1 and domain = any ($2)", [
      present.id,
      removed.map(({ domain }) => domain),
    ]);
    addDomains(call, present.id, added, now);
    return findConnection(call, present.id);
  }).catch((error: unknown) => {
    throw conflict(error);
  });
  return json(200, connectionJson(updated ?? present));
};

/** DELETE /admin/sso/providers/{id}; its users stay. */
export const deleteProvider: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const present = await load(auth, id);
  await transact(auth, request, async (call) => {
    call.enqueue("delete from sso_providers where id = $1", [present.id]);
  });
  return json(200, connectionJson(present));
};

/** @throws AuthError sso_provider_not_found */
async function load(auth: Auth, path: string): Promise<Connection> {
  const reader = readerOf(auth.context.database);
  const found = isResource(path)
    ? await findByResource(reader, path)
    : isUuid(path)
      ? await findConnection(reader, path)
      : undefined;
  if (!found) throw notFound("sso_provider_not_found", "SSO Identity Provider not found");
  return found;
}

/** @throws AuthError validation_failed */
function check(given: ConnectionBody, forUpdate: boolean): void {
  const { metadata_url: url, metadata_xml: xml, name_id_format: format } = given;
  if (!forUpdate && given.type !== "saml") {
    throw validationFailed("Only 'saml' supported for SSO provider type");
  }
  if (url !== "" && xml !== "") {
    throw validationFailed("Only one of metadata_xml or metadata_url needs to be set");
  }
  if (!forUpdate && url === "" && xml === "") {
    throw validationFailed("Either metadata_xml or metadata_url must be set");
  }
  if (url !== "") {
    if (!URL.canParse(url) || url.includes("\\")) throw validationFailed("metadata_url is not a valid URL");
    if (new URL(url).protocol !== "https:") throw validationFailed("metadata_url is not a HTTPS URL");
  }
  if (format !== "" && !NAME_ID_FORMATS.includes(format)) {
    throw validationFailed(`name_id_format must be unspecified or one of ${NAME_ID_FORMATS.join(", ")}`);
  }
  if (given.domains?.includes("")) throw validationFailed("A domain must not be empty");
}

async function metadataOf(given: ConnectionBody): Promise<{ text: string; provider: IdentityProvider }> {
  const text = given.metadata_xml || (await fetchMetadata(given.metadata_url));
  return { text, provider: parseMetadata(text) };
}

/** The domains that a connection does not have yet. @throws AuthError sso_domain_already_exists */
async function newDomains(
  transaction: Transaction,
  present: Connection,
  domains: string[] | undefined,
): Promise<string[]> {
  const added: string[] = [];
  for (const domain of new Set(domains)) {
    const owner = await findOwnerOfDomain(transaction, domain);
    if (owner && owner.id !== present.id) {
      throw domainTaken(`SSO domain '${domain}' already assigned to another provider (${owner.id})`);
    }
    if (!present.domains.some((one) => one.domain === domain)) added.push(domain);
  }
  return added;
}

function addDomains(transaction: Transaction, id: string, domains: readonly string[], now: string): void {
  for (const domain of domains) {
    transaction.enqueue(
      "insert into sso_domains (id, sso_provider_id, domain, created_at, updated_at) values ($1, $2, $3, $4, $4)",
      [randomUUID(), id, domain, now],
    );
  }
}

const domainTaken = (message: string) => badRequest("sso_domain_already_exists", message);

/** A duplicate that only the tables' constraints found, e.g. of two requests at once. */
function conflict(error: unknown): unknown {
  if (!isPostgresError(error) || error.code !== UNIQUE_VIOLATION) return error;
  if (error.constraint === "saml_providers_entity_id_key") {
    return unprocessable(
      "saml_idp_already_exists",
      "SAML Identity Provider with this EntityID already exists",
    );
  }
  if (error.constraint === "sso_domains_domain_idx") {
    return domainTaken("SSO Domain is already assigned to an SSO identity provider");
  }
  return unprocessable("conflict", "Updating SSO provider failed, likely due to a conflict. Try again?");
}
