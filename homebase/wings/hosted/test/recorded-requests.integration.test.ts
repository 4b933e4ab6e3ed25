/**
 * The requests that the end-to-end tests of the Supabase CLI have recorded against Supabase's staging (apps/cli-e2e of
 * supabase/cli, fixtures of 2026), each after what it needs has been made: which get the recorded status here. The list has
 * those that could be looked up. docs/hosted.md has the counts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { startHosted } from "../index.ts";
import { callerOf } from "./api.ts";

const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()) }));
const call = callerOf(hosted);
const ID = "00000000-0000-4000-8000-000000000000";

async function storage(method: string, path: string, body?: unknown) {
  const { url, keys } = hosted.project;
  const text = typeof body === "string";
  const answer = await fetch(`${url}/storage/v1${path}`, {
    method,
    headers: { apikey: keys.secretKey, "content-type": text ? "text/plain" : "application/json" },
    ...(body === undefined ? {} : { body: text ? body : JSON.stringify(body) }),
  });
  const got = await answer.text();
  return { status: answer.status, body: got.startsWith("{") || got.startsWith("[") ? JSON.parse(got) : got };
}

/** What a request needs: made once, before the first that needs it. */
const NEEDS = {
  bucket: () => storage("POST", "/bucket", { id: "cli-e2e-bucket", name: "cli-e2e-bucket" }),
  file: async () => {
    await made("bucket");
    await storage("POST", "/object/cli-e2e-bucket/hello.txt", "hello");
  },
  moved: async () => {
    await made("bucket");
    await storage("POST", "/object/cli-e2e-bucket/mv-source.txt", "moved");
  },
  branch: () => call("POST", "/branches", { branch_name: "my-branch" }),
  function: async () => {
    const form = new FormData();
    const metadata = { name: "hello-world", entrypoint_path: "index.ts" };
    form.append("metadata", new Blob([JSON.stringify(metadata)], { type: "application/json" }));
    form.append("file", new Blob(["Deno.serve(() => new Response())"]), "index.ts");
    const { management, project } = hosted;
    await fetch(`${management.url}/v1/projects/${project.ref}/functions/deploy?slug=hello-world`, {
      method: "POST",
      headers: { authorization: `Bearer ${management.accessToken}` },
      body: form,
    });
  },
  secret: () => call("POST", "/secrets", [{ name: "MY_SECRET", value: "value" }]),
};
const done = new Map<keyof typeof NEEDS, Promise<unknown>>();
function made(need: keyof typeof NEEDS): Promise<unknown> {
  const work = done.get(need) ?? NEEDS[need]();
  done.set(need, work);
  return work;
}

interface Recorded {
  /** Undefined where the recording could not be looked up. */
  status?: number;
  body?: unknown;
  needs?: keyof typeof NEEDS;
  /** What the recorded answer has, of what is not of that project alone. */
  has?: unknown;
}

const RESTRICTED = {
  config: { dbAllowedCidrs: ["0.0.0.0/0"], dbAllowedCidrsV6: [] },
  entitlement: "allowed",
  status: "applied",
};
const METADATA = `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://example.com/saml">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://example.com/saml/sso"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
const POSTGRES = {
  effective_cache_size: "768MB",
  max_connections: 100,
  shared_buffers: "256MB",
  statement_timeout: "8s",
};

/** In an order that works: what removes comes last. */
const RECORDED: Record<string, Recorded> = {
  "GET /v1/organizations": {
    status: 200,
    has: [{ id: expect.any(String), slug: expect.any(String), name: expect.any(String) }],
  },
  "GET /v1/organizations/standinstandinstandi/entitlements": { status: 200 },
  "GET /v1/projects": { status: 200 },
  "POST /v1/projects": { status: 201, body: { name: "cli-e2e-test", region: "us-east-1" } },
  "GET /v1/snippets": { status: 200, has: { data: [] } },
  [`GET /v1/snippets/${ID}`]: { status: 406, has: { message: "Failed to retrieve SQL snippet" } },
  "GET ": { status: 200, has: { ref: hosted.project.ref, status: "ACTIVE_HEALTHY" } },
  "GET /advisors/performance": { status: 200, has: { lints: expect.any(Array) } },
  "GET /advisors/security": { status: 200, has: { lints: expect.any(Array) } },
  "GET /api-keys": { status: 200 },
  "GET /billing/addons": {
    status: 200,
    has: { selected_addons: expect.any(Array), available_addons: expect.any(Array) },
  },
  "GET /branches": { status: 200 },
  "POST /branches": {
    status: 201,
    body: { branch_name: "another" },
    has: { name: "another", is_default: false, persistent: false, with_data: false },
  },
  "GET /branches/my-branch": {
    status: 200,
    needs: "branch",
    has: { name: "my-branch", parent_project_ref: hosted.project.ref, with_data: false },
  },
  "GET /v1/branches/{branch}": {
    status: 200,
    needs: "branch",
    has: {
      db_user: "postgres",
      postgres_engine: expect.any(String),
      release_channel: "ga",
      status: "ACTIVE_HEALTHY",
    },
  },
  "DELETE /v1/branches/{branch}": { status: 200, needs: "branch", has: { message: "ok" } },
  "GET /config/auth": { status: 200 },
  "PATCH /config/auth": {
    status: 200,
    body: { site_url: "https://example.com", uri_allow_list: "https://example.com/callback" },
    has: { site_url: "https://example.com", uri_allow_list: "https://example.com/callback", jwt_exp: 3600 },
  },
  "GET /config/auth/sso/providers": { status: 200, has: { items: [] } },
  "POST /config/auth/sso/providers": {
    status: 201,
    body: { type: "saml", domains: ["example.com"], metadata_xml: METADATA },
    has: {
      id: expect.any(String),
      saml: expect.objectContaining({ entity_id: "https://example.com/saml", metadata_xml: METADATA }),
      domains: [expect.objectContaining({ domain: "example.com" })],
      created_at: expect.any(String),
    },
  },
  "GET /config/auth/sso/providers/{provider}": {
    status: 200,
    has: { domains: [expect.objectContaining({ domain: "example.com" })] },
  },
  "GET /config/database/pooler": { status: 200 },
  "GET /config/database/postgres": { status: 200 },
  "PUT /config/database/postgres": { status: 200, body: POSTGRES, has: POSTGRES },
  "GET /config/storage": {
    status: 200,
    has: {
      fileSizeLimit: 52_428_800,
      features: expect.objectContaining({
        s3Protocol: { enabled: true },
        vectorBuckets: { enabled: true, maxBuckets: 10, maxIndexes: 5 },
      }),
    },
  },
  "GET /database/backups": {
    status: 200,
    has: { pitr_enabled: false, walg_enabled: true, backups: [], physical_backup_data: {} },
  },
  "POST /database/backups/restore-pitr": {
    status: 400,
    body: { recovery_time_target_unix: 1_700_000_000 },
    has: { message: "PITR is not enabled for this project." },
  },
  "GET /functions": { status: 200 },
  "DELETE /functions/hello-world": { status: 200, needs: "function" },
  "GET /network-restrictions": { status: 200 },
  "PATCH /network-restrictions": {
    status: 200,
    body: { add: { dbAllowedCidrs: ["8.8.8.0/24"], dbAllowedCidrsV6: [] } },
    has: {
      config: {
        dbAllowedCidrs: expect.arrayContaining([
          { address: "0.0.0.0/0", type: "v4" },
          { address: "8.8.8.0/24", type: "v4" },
        ]),
      },
      old_config: { dbAllowedCidrs: expect.arrayContaining([{ address: "0.0.0.0/0", type: "v4" }]) },
      status: "stored",
      updated_at: expect.any(String),
      entitlement: "allowed",
    },
  },
  "POST /network-restrictions/apply": {
    status: 201,
    body: { dbAllowedCidrs: ["0.0.0.0/0"], dbAllowedCidrsV6: [] },
    has: RESTRICTED,
  },
  "POST /network-bans/retrieve": { status: 201, has: { banned_ipv4_addresses: [] } },
  "DELETE /network-bans": { status: 200, body: { ipv4_addresses: ["1.2.3.4"], requester_ip: false } },
  "GET /pgsodium": { status: 200 },
  "PUT /pgsodium": { status: 400, body: { root_key: "short" } },
  "GET /postgrest": { status: 200 },
  "GET /secrets": { status: 200 },
  "POST /secrets": { status: 201, body: [{ name: "MY_SECRET", value: "value" }] },
  "DELETE /secrets": { status: 200, body: ["MY_SECRET"], needs: "secret" },
  "GET /ssl-enforcement": { status: 200 },
  "PUT /ssl-enforcement": {
    status: 200,
    body: { requestedConfig: { database: true } },
    has: { currentConfig: { database: true }, appliedSuccessfully: true },
  },
  "GET /types/typescript": { status: 200, has: { types: expect.any(String) } },
  "GET /custom-hostname": { status: 200 },
  "POST /custom-hostname/activate": { status: 400 },
  "POST /custom-hostname/reverify": {},
  "DELETE /custom-hostname": {},
  "GET /vanity-subdomain": { status: 200, has: { status: "not-used" } },
  "POST /vanity-subdomain/check-availability": { body: { vanity_subdomain: "myapp" } },
  "POST /vanity-subdomain/activate": { status: 201, body: { vanity_subdomain: "myapp" } },
  "DELETE /vanity-subdomain": { status: 200 },
  "GET storage/bucket": {
    status: 200,
    needs: "bucket",
    has: [expect.objectContaining({ id: "cli-e2e-bucket" })],
  },
  "GET storage/object/cli-e2e-bucket/hello.txt": { status: 200, needs: "file", has: "hello" },
  "POST storage/object/list/cli-e2e-bucket": { status: 200, needs: "file", body: { prefix: "", limit: 100 } },
  "POST storage/object/cli-e2e-bucket/upload.txt": {
    status: 200,
    needs: "bucket",
    body: "uploaded",
    has: { Key: "cli-e2e-bucket/upload.txt", Id: expect.any(String) },
  },
  "POST storage/object/move": {
    status: 200,
    needs: "moved",
    body: { bucketId: "cli-e2e-bucket", sourceKey: "mv-source.txt", destinationKey: "mv-dest.txt" },
  },
  "DELETE storage/object/cli-e2e-bucket": { status: 200, needs: "file", body: { prefixes: ["hello.txt"] } },
  "DELETE /v1/projects/{ref}": { status: 200 },
};

test("recorded requests get the recorded status, or 501 by name", async () => {
  const equal: string[] = [];
  const missing: string[] = [];
  let provider = "";
  for (const [request, { status, body, needs, has }] of Object.entries(RECORDED)) {
    if (needs) await made(needs);
    const [method = "", path = ""] = request.split(" ");
    const branch = hosted.management.branches.list().find(({ name }) => name === "my-branch");
    const whole = path
      .replace("{branch}", branch?.project.ref ?? "")
      .replace("{ref}", hosted.project.ref)
      .replace("{provider}", provider);
    const answer = whole.startsWith("storage")
      ? await storage(method, whole.slice("storage".length), body)
      : await call(method, whole, body);
    if (answer.status === 501) {
      missing.push(request);
      expect([request, answer.body.message]).toEqual([
        request,
        expect.stringContaining("This stand-in for hosted does not have"),
      ]);
      continue;
    }
    expect([request, answer.status]).toEqual([request, status]);
    if (has !== undefined)
      expect([request, answer.body]).toEqual([
        request,
        Array.isArray(has) || typeof has !== "object" ? has : expect.objectContaining(has),
      ]);
    if (request === "POST /config/auth/sso/providers") provider = answer.body.id;
    equal.push(request);
  }
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/hosted.md"), "utf8");
  expect(page).toContain(
    `Of ${Object.keys(RECORDED).length} requests that the Supabase CLI's end-to-end tests have recorded against Supabase's staging, ${equal.length} get the recorded status once what they need is made, and ${missing.length} are 501 by name.`,
  );
}, 120_000);
