/** Owns the calls about a project's settings: auth, API, Postgres, storage, pooler, network, TLS. */
import { createHmac } from "node:crypto";
import { API_SETTINGS } from "../../../src/config/hosted/management-settings.ts";
import { isRecord, recordOf } from "../../../src/core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import { changedSetting, settingProblem } from "../auth-fields.ts";
import { type Cidrs, type HostedProject, PROJECT_HOST } from "../stand-in.ts";
import type { CallEntry, CallInput } from "./call.ts";

const REF = "/v1/projects/{ref}";
/** Secrets that hosted never returns: by their HMAC the Supabase CLI sees whether one has changed. */
const HIDDEN = /(_secret|_secrets|_pass|_auth_token|_api_secret|_access_key|_api_key)$/;

export const CONFIGURATION: readonly CallEntry[] = [
  ["GET", "/v2/projects/{ref}/config", ({ project }) => jsonResponse(200, { data: wholeConfig(project) })],
  ["GET", `${REF}/config/auth`, ({ project }) => jsonResponse(200, shownAuth(project))],
  ["PATCH", `${REF}/config/auth`, changeAuth],
  [
    "GET",
    `${REF}/config/auth/signing-keys`,
    ({ project }) =>
      jsonResponse(200, {
        keys: [
          {
            id: project.signingKey.kid,
            algorithm: "ES256",
            status: "in_use",
            public_jwk: project.keys.publicJwks.keys[0],
            created_at: project.createdAt,
            updated_at: project.createdAt,
          },
        ],
      }),
  ],
  [
    "GET",
    `${REF}/postgrest`,
    ({ project }) => jsonResponse(200, { ...postgrest(project), jwt_secret: project.keys.jwtSecret }),
  ],
  ["PATCH", `${REF}/postgrest`, changeApi],
  ["GET", `${REF}/config/database/postgres`, ({ project }) => jsonResponse(200, project.postgresSettings)],
  [
    "PUT",
    `${REF}/config/database/postgres`,
    ({ project, json }) => {
      const given = json();
      if (!isRecord(given)) return jsonResponse(400, { message: "The body must be an object." });
      const { restart_database: _restart, ...settings } = given;
      return jsonResponse(200, Object.assign(project.postgresSettings, settings));
    },
  ],
  ["GET", `${REF}/config/storage`, ({ project }) => jsonResponse(200, storage(project))],
  ["PATCH", `${REF}/config/storage`, changeStorage],
  ["GET", `${REF}/config/database/pooler`, ({ project }) => jsonResponse(200, [pooler(project)])],
  [
    "PATCH",
    `${REF}/config/database/pooler`,
    () => jsonResponse(501, { message: "There is no pooler here: its settings cannot be changed." }),
  ],
  ["GET", `${REF}/network-restrictions`, ({ project }) => jsonResponse(200, restrictions(project))],
  ["PATCH", `${REF}/network-restrictions`, changeRestrictions],
  [
    "POST",
    `${REF}/network-restrictions/apply`,
    ({ project, json }) => {
      const { dbAllowedCidrs, dbAllowedCidrsV6 } = recordOf(json());
      const texts = (value: unknown, fallback: string[]) =>
        Array.isArray(value) ? value.map(String) : fallback;
      allow(project, {
        v4: texts(dbAllowedCidrs, project.allowedCidrs.v4),
        v6: texts(dbAllowedCidrsV6, project.allowedCidrs.v6),
      });
      return jsonResponse(201, restrictions(project));
    },
  ],
  ["POST", `${REF}/network-bans/retrieve`, () => jsonResponse(201, { banned_ipv4_addresses: [] })],
  ["DELETE", `${REF}/network-bans`, () => jsonResponse(200, null)],
  ["GET", `${REF}/ssl-enforcement`, ({ project }) => jsonResponse(200, ssl(project))],
  [
    "PUT",
    `${REF}/ssl-enforcement`,
    ({ project, json }) => {
      const { database } = recordOf(recordOf(json()).requestedConfig);
      if (typeof database !== "boolean")
        return jsonResponse(400, { message: "requestedConfig.database is missing." });
      project.sslEnforced = database;
      return jsonResponse(200, ssl(project));
    },
  ],
];

async function changeAuth({ project, json }: CallInput): Promise<ServiceResponse> {
  const given = json();
  if (!isRecord(given)) return jsonResponse(400, { message: "The body must be an object." });
  const problems = Object.entries(given).flatMap(([name, value]) => settingProblem(name, value) ?? []);
  if (problems.length > 0) return jsonResponse(400, { message: problems.join(", ") });
  for (const [name, value] of Object.entries(given)) project.auth[name] = changedSetting(name, value);
  await project.apply();
  return jsonResponse(200, shownAuth(project));
}

async function changeApi({ project, json }: CallInput): Promise<ServiceResponse> {
  const given = recordOf(json());
  for (const { field } of API_SETTINGS) if (given[field] !== undefined) project.api[field] = given[field];
  await project.apply();
  return jsonResponse(200, postgrest(project));
}

async function changeStorage({ project, json }: CallInput): Promise<ServiceResponse> {
  const { fileSizeLimit, features } = recordOf(json());
  if (typeof fileSizeLimit === "number") project.storage.fileSizeLimit = fileSizeLimit;
  const { imageTransformation, s3Protocol, vectorBuckets, icebergCatalog } = recordOf(features);
  if (enabled(icebergCatalog, false))
    return jsonResponse(501, { message: "There are no analytics buckets here: they cannot be enabled." });
  const own = project.storage.features;
  own.imageTransformation.enabled = enabled(imageTransformation, own.imageTransformation.enabled);
  own.s3Protocol.enabled = enabled(s3Protocol, own.s3Protocol.enabled);
  const { maxBuckets, maxIndexes } = recordOf(vectorBuckets);
  own.vectorBuckets.enabled = enabled(vectorBuckets, own.vectorBuckets.enabled);
  if (isCount(maxBuckets)) own.vectorBuckets.maxBuckets = maxBuckets;
  if (isCount(maxIndexes)) own.vectorBuckets.maxIndexes = maxIndexes;
  await project.apply();
  return jsonResponse(200, storage(project));
}

/** Removes addresses, then adds some. */
function changeRestrictions({ project, json }: CallInput): ServiceResponse {
  const { add, remove } = recordOf(json());
  const changed = (present: readonly string[], field: string) => {
    const listed = (change: unknown) => {
      const value = recordOf(change)[field];
      return Array.isArray(value) ? value.map(String) : [];
    };
    const gone = listed(remove);
    return [...new Set([...present.filter((one) => !gone.includes(one)), ...listed(add)])];
  };
  const { v4, v6 } = project.allowedCidrs;
  allow(project, { v4: changed(v4, "dbAllowedCidrs"), v6: changed(v6, "dbAllowedCidrsV6") });
  const listed = (cidrs: Cidrs) => ({ dbAllowedCidrs: addresses(cidrs) });
  // Hosted answers before the change has effect.
  const { applied_at: _, ...changes } = restrictions(project, listed);
  return jsonResponse(200, { ...changes, status: "stored" });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function enabled(feature: unknown, present: boolean): boolean {
  const { enabled: wanted } = recordOf(feature);
  return typeof wanted === "boolean" ? wanted : present;
}

/** Every setting by name; a secret as its HMAC-SHA256 by the project's reference, in hex. */
function shownAuth({ auth, ref }: HostedProject): Record<string, unknown> {
  const marked = (value: unknown) => createHmac("sha256", ref).update(String(value)).digest("hex");
  return Object.fromEntries(
    Object.entries(auth).map(([name, value]) => [name, HIDDEN.test(name) && value ? marked(value) : value]),
  );
}

function postgrest({ api }: HostedProject): Record<string, unknown> {
  return {
    ...api,
    db_pool: null,
    db_pool_acquisition_timeout: null,
    db_pool_max_lifetime: null,
    db_pool_max_idletime: null,
  };
}

function storage({ storage: { fileSizeLimit, features } }: HostedProject): Record<string, unknown> {
  return {
    fileSizeLimit,
    features: {
      ...features,
      purgeCache: { enabled: false },
      icebergCatalog: { enabled: false, maxNamespaces: 0, maxTables: 0, maxCatalogs: 0 },
    },
    capabilities: { list_v2: true, iceberg_catalog: false, object_versioning: false },
    external: { upstreamTarget: "main" },
    migrationVersion: null,
    databasePoolMode: "recycled",
  };
}

/**
 * The Supabase CLI takes a pooler's host of its profile's domain on port 5432 only, and goes on to the next host. The
 * older `connectionString`, which it does not read, is for clients that know one host.
 */
function pooler({ ref, databaseAddress: { host, port } }: HostedProject): Record<string, unknown> {
  const at = (hosts: string) => `postgresql://postgres.${ref}:[YOUR-PASSWORD]@${hosts}/postgres`;
  return {
    identifier: ref,
    database_type: "PRIMARY",
    is_using_scram_auth: true,
    db_user: `postgres.${ref}`,
    db_host: host,
    db_port: port,
    db_name: "postgres",
    connection_string: at(`pooler.${PROJECT_HOST}:5432,${host}:${port}`),
    connectionString: at(`${host}:${port}`),
    default_pool_size: null,
    max_client_conn: null,
    pool_mode: "session",
  };
}

function allow(project: HostedProject, { v4, v6 }: Cidrs): void {
  const { v4: before4, v6: before6 } = project.allowedCidrs;
  project.allowedCidrs = { v4, v6, before: { v4: before4, v6: before6 }, at: new Date().toISOString() };
}

const byKind = ({ v4, v6 }: Cidrs): Record<string, unknown> => ({ dbAllowedCidrs: v4, dbAllowedCidrsV6: v6 });

/** @param shown the form of a list, of which the two calls that change it have one each */
function restrictions({ allowedCidrs }: HostedProject, shown = byKind): Record<string, unknown> {
  const { before, at } = allowedCidrs;
  return {
    entitlement: "allowed",
    config: shown(allowedCidrs),
    ...(before ? { old_config: shown(before), updated_at: at, applied_at: at } : {}),
    status: "applied",
  };
}

function addresses({ v4, v6 }: Cidrs): { address: string; type: string }[] {
  return [
    ...v4.map((address) => ({ address, type: "v4" })),
    ...v6.map((address) => ({ address, type: "v6" })),
  ];
}

function ssl({ sslEnforced }: HostedProject): Record<string, unknown> {
  return { currentConfig: { database: sslEnforced }, appliedSuccessfully: true };
}

function wholeConfig(project: HostedProject): Record<string, unknown> {
  const { fileSizeLimit, features } = project.storage;
  return {
    type: "project_config",
    id: project.ref,
    attributes: {
      api: project.api,
      auth: shownAuth(project),
      database: {
        major_version: 17,
        ssl_enforced: project.sslEnforced,
        network_restrictions: {
          entitlement: "allowed",
          status: "applied",
          allowed_cidrs: addresses(project.allowedCidrs),
        },
        postgres_settings: project.postgresSettings,
      },
      pooler: { pool_mode: "transaction", default_pool_size: 15, max_client_conn: 200 },
      storage: {
        file_size_limit: fileSizeLimit,
        features: {
          image_transformation: features.imageTransformation,
          s3_protocol: features.s3Protocol,
          iceberg_catalog: { enabled: false, max_namespaces: 0, max_tables: 0, max_catalogs: 0 },
          vector_buckets: {
            enabled: features.vectorBuckets.enabled,
            max_buckets: features.vectorBuckets.maxBuckets,
            max_indexes: features.vectorBuckets.maxIndexes,
          },
        },
      },
      // Its limits are fixed here, and no key of config.toml is among them.
      realtime: { private_only: false, presence_enabled: true, suspend: false },
    },
  };
}
