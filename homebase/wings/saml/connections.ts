/** Owns the stored connections to identity providers: auth.sso_providers, saml_providers and sso_domains. */
import type { Transaction } from "../../src/auth/kit/as-auth-admin.ts";
import { type Instant, rfc3339 } from "../../src/auth/users/user.ts";
import type { AttributeMapping, AttributeRule } from "./assertion.ts";

/** A connection: one identity provider, and the domains whose users it signs in. */
export interface Connection {
  id: string;
  resource_id: string | null;
  disabled: boolean | null;
  created_at: Instant;
  updated_at: Instant;
  saml: {
    entity_id: string;
    metadata_xml: string;
    metadata_url: string | null;
    attribute_mapping: AttributeMapping | null;
    name_id_format: string | null;
    updated_at: Instant;
  };
  domains: { domain: string }[];
}

type Reader = Pick<Transaction, "rows">;

/** Administrators' word for a connection's own id in a path. */
const RESOURCE_PREFIX = "resource_";

const SELECT = `select to_jsonb(p) || jsonb_build_object('saml', to_jsonb(s), 'domains', coalesce(
    (select jsonb_agg(jsonb_build_object('domain', d.domain) order by d.created_at, d.domain)
     from sso_domains d where d.sso_provider_id = p.id), '[]')) as connection
  from sso_providers p join saml_providers s on s.sso_provider_id = p.id`;

async function find(reader: Reader, where: string, value: unknown): Promise<Connection | undefined> {
  const rows = await reader.rows<{ connection: Connection }>(`${SELECT} where ${where} limit 1`, [value]);
  return rows[0]?.connection;
}

/** @param id a UUID */
export const findConnection = (reader: Reader, id: string) => find(reader, "p.id = $1", id);
export const findByEntityId = (reader: Reader, entityId: string) =>
  find(reader, "s.entity_id = $1", entityId);
export const findByResource = (reader: Reader, path: string) =>
  find(reader, "lower(p.resource_id) = lower($1)", path.slice(RESOURCE_PREFIX.length));
export const isResource = (path: string) => path.startsWith(RESOURCE_PREFIX);

/** The connection of a domain, written as administrators wrote it. */
export const findByDomain = (reader: Reader, domain: string) =>
  find(
    reader,
    "p.id = (select d.sso_provider_id from sso_domains d where lower(d.domain) = lower($1) and d.domain = $1)",
    domain,
  );

/** The connection that has a domain in any case: no other may have it. */
export const findOwnerOfDomain = (reader: Reader, domain: string) =>
  find(
    reader,
    "p.id = (select d.sso_provider_id from sso_domains d where lower(d.domain) = lower($1))",
    domain,
  );

/** All connections, oldest first, or those with a resource id or a prefix of it. */
export async function listConnections(
  reader: Reader,
  filter: { resourceId: string | null; prefix: string | null },
): Promise<Connection[]> {
  const rows = await reader.rows<{ connection: Connection }>(
    `${SELECT} where ($1::text is null or p.resource_id = $1)
       and ($2::text is null or starts_with(p.resource_id, $2)) order by p.created_at, p.id`,
    [filter.resourceId || null, (filter.resourceId ? null : filter.prefix) || null],
  );
  return rows.map(({ connection }) => connection);
}

/** A connection in API responses. The list leaves the metadata's XML out. */
export function connectionJson(connection: Connection, withXml = true): Record<string, unknown> {
  const { saml } = connection;
  return {
    id: connection.id,
    resource_id: connection.resource_id ?? undefined,
    disabled: connection.disabled,
    saml: {
      entity_id: saml.entity_id,
      metadata_xml: withXml ? saml.metadata_xml : undefined,
      metadata_url: saml.metadata_url ?? undefined,
      attribute_mapping: mappingJson(saml.attribute_mapping ?? {}),
      name_id_format: saml.name_id_format ?? undefined,
    },
    domains: connection.domains.map(({ domain }) => ({ domain })),
    created_at: rfc3339(connection.created_at),
    updated_at: rfc3339(connection.updated_at),
  };
}

/** A mapping without empty members, as upstream stores it. */
export function mappingJson({ keys }: AttributeMapping): AttributeMapping {
  const rules = Object.entries(keys ?? {});
  if (rules.length === 0) return {};
  const bare = ({ name, names, default: value, array }: AttributeRule): AttributeRule => ({
    ...(name ? { name } : {}),
    ...(names && names.length > 0 ? { names } : {}),
    ...(value === undefined || value === null ? {} : { default: value }),
    ...(array ? { array } : {}),
  });
  return { keys: Object.fromEntries(rules.map(([key, rule]) => [key, bare(rule)])) };
}
