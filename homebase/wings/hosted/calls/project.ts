/** Owns the calls about a project itself: its details, keys, addons and secrets. */
import { createHash } from "node:crypto";
import { recordOf } from "../../../src/core/record.ts";
import { uuidOf } from "../../../src/core/uuid.ts";
import { jsonResponse } from "../../../src/http/exchange.ts";
import { secretDigest } from "../project-keys.ts";
import type { HostedProject } from "../stand-in.ts";
import type { CallEntry } from "./call.ts";

const REF = "/v1/projects/{ref}";
/** Hosted's identifiers of organizations are twenty lowercase letters, and clients check that. */
const ORGANIZATION = { id: "standinstandinstandi", slug: "standinstandinstandi", name: "Stand-in" };

export const PROJECT: readonly CallEntry[] = [
  ["GET", "/v1/projects", ({ project }) => jsonResponse(200, [describe(project)])],
  ["GET", "/v1/organizations", () => jsonResponse(200, [ORGANIZATION])],
  [
    "GET",
    "/v1/organizations/{slug}",
    ({ values: { slug } }) =>
      slug === ORGANIZATION.slug
        ? jsonResponse(200, {
            id: ORGANIZATION.id,
            name: ORGANIZATION.name,
            plan: "free",
            opt_in_tags: [],
            allowed_release_channels: ["ga"],
          })
        : jsonResponse(404, { message: "Organization not found" }),
  ],
  [
    "GET",
    "/v1/profile",
    () =>
      jsonResponse(200, {
        gotrue_id: uuidOf("stand-in"),
        primary_email: "stand-in@localhost.test",
        username: "stand-in",
      }),
  ],
  ["GET", REF, ({ project }) => jsonResponse(200, describe(project))],
  [
    "GET",
    `${REF}/api-keys`,
    ({ project, query }) => jsonResponse(200, keysOf(project, query.get("reveal") === "true")),
  ],
  ["GET", `${REF}/api-keys/legacy`, ({ project }) => jsonResponse(200, { enabled: project.legacyKeys })],
  ["GET", `${REF}/billing/addons`, () => jsonResponse(200, { selected_addons: [], available_addons: [] })],
  // Snippets are made in the dashboard, which is not part of this stand-in.
  ["GET", "/v1/snippets", () => jsonResponse(200, { data: [] })],
  ["GET", "/v1/snippets/{id}", () => jsonResponse(406, { message: "Failed to retrieve SQL snippet" })],
  ["GET", `${REF}/vanity-subdomain`, () => jsonResponse(200, { status: "not-used" })],
  [
    "GET",
    `${REF}/health`,
    ({ project, query }) =>
      jsonResponse(
        200,
        (query.get("services") ?? query.getAll("services").join(","))
          .split(",")
          .filter(Boolean)
          .map((name) => ({
            name,
            healthy: !project.paused,
            status: project.paused ? "UNHEALTHY" : "ACTIVE_HEALTHY",
            ...(name === "auth"
              ? { info: { name: "GoTrue", version: "homebase", description: project.ref } }
              : {}),
          })),
      ),
  ],
  [
    "GET",
    `${REF}/secrets`,
    ({ project }) =>
      jsonResponse(
        200,
        [...project.secrets].map(([name, { value, updatedAt }]) => ({
          name,
          value: secretDigest(value),
          updated_at: updatedAt,
        })),
      ),
  ],
  [
    "POST",
    `${REF}/secrets`,
    async ({ project, json }) => {
      const given = json();
      if (!Array.isArray(given))
        return jsonResponse(400, { message: "The body must be an array of secrets." });
      for (const one of given) {
        const { name, value } = recordOf(one);
        if (typeof name !== "string" || !/^(?!SUPABASE_)[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
          return jsonResponse(400, { message: `Secret name is not allowed: ${String(name)}` });
        }
        if (typeof value !== "string") return jsonResponse(400, { message: `${name} has no value.` });
      }
      for (const { name, value } of given as { name: string; value: string }[]) {
        project.secrets.set(name, { value, updatedAt: new Date().toISOString() });
      }
      await project.apply();
      return jsonResponse(201, null);
    },
  ],
  [
    "DELETE",
    `${REF}/secrets`,
    async ({ project, json }) => {
      const names = json();
      if (!Array.isArray(names)) return jsonResponse(400, { message: "The body must be an array of names." });
      for (const name of names) project.secrets.delete(String(name));
      await project.apply();
      return jsonResponse(200, null);
    },
  ],
];

function describe(project: HostedProject): Record<string, unknown> {
  return {
    id: project.ref,
    ref: project.ref,
    organization_id: ORGANIZATION.id,
    organization_slug: ORGANIZATION.slug,
    name: "Stand-in for hosted",
    region: "eu-central-1",
    created_at: project.createdAt,
    status: project.status,
    database: {
      host: project.databaseAddress.host,
      version: "17.10",
      postgres_engine: "17",
      release_channel: "ga",
    },
  };
}

function keysOf({ keys, legacyKeys }: HostedProject, reveal: boolean): unknown[] {
  const opaque = (type: "publishable" | "secret", key: string, role: string) => ({
    name: "default",
    type,
    id: uuidOf(key),
    prefix: key.slice(0, key.lastIndexOf("_") - 18),
    hash: createHash("sha256").update(key).digest("base64url"),
    api_key: reveal || type === "publishable" ? key : `${key.slice(0, 16)}...`,
    secret_jwt_template: { role },
  });
  const legacy = (name: string, key: string) => ({ name, type: "legacy", id: name, api_key: key });
  return [
    opaque("publishable", keys.publishableKey, "anon"),
    opaque("secret", keys.secretKey, "service_role"),
    ...(legacyKeys ? [legacy("anon", keys.anonKey), legacy("service_role", keys.serviceRoleKey)] : []),
  ];
}
