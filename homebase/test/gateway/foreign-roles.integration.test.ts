/** Secret rights from foreign pages: each service decides by the role that it has verified. */
import { createHmac } from "node:crypto";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { beforeAll, describe, expect, test } from "vitest";
import { s3AsUser } from "../../wings/s3/test/clients.ts";
import { createBackend } from "../../wings/testing.ts";
import { forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { PhoenixSocket } from "../realtime/phoenix-socket.ts";
import { sourcesWith } from "../sources.ts";

await useOwnCluster();

const EVIL = { origin: "https://evil.example" };

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create role auditor bypassrls");
  await backend.sql("create role lifted");
  await backend.sql("grant service_role to lifted");
  await backend.sql("create role plain");
  await backend.sql("grant anon to plain");
  await backend.sql("grant auditor, lifted, plain to authenticator");
  await backend.sql("grant usage on schema public to auditor, lifted, plain");
  await backend.sql(`create table public.secrets (id int primary key);
    alter table public.secrets enable row level security;
    insert into public.secrets values (1);
    grant select on public.secrets to auditor, lifted, plain`);
});

const token = (claims: Record<string, unknown>) => backend.backend.keys.sign({ exp: 4e9, ...claims });

/** A token whose payload begins with a byte order mark. */
function marked(role: string): string {
  const part = (text: string) => Buffer.from(text).toString("base64url");
  const text = `${part('{"alg":"HS256","typ":"JWT"}')}.${part(`\uFEFF${JSON.stringify({ role, exp: 4e9 })}`)}`;
  return `${text}.${createHmac("sha256", backend.config.auth.jwt_secret).update(text).digest("base64url")}`;
}

function ask(path: string, bearer: string, init: RequestInit = {}): Promise<Response> {
  return fetch(backend.url + path, {
    ...init,
    headers: { apikey: backend.anonKey, authorization: `Bearer ${bearer}`, ...EVIL, ...init.headers },
  });
}

const broadcast = {
  method: "POST",
  body: '{"messages":[]}',
  headers: { "content-type": "application/json" },
};
/** A way into each service, and its status for a foreign page that brings secret rights. */
const WAYS: Record<string, [(bearer: string) => Promise<Response>, status: number]> = {
  rest: [(bearer) => ask("/rest/v1/secrets", bearer), 403],
  auth: [(bearer) => ask("/auth/v1/admin/users", bearer), 403],
  "auth as a user": [(bearer) => ask("/auth/v1/user", bearer), 403],
  storage: [(bearer) => ask("/storage/v1/bucket", bearer), 403],
  "storage, token optional": [(bearer) => ask("/storage/v1/object/none/none", bearer), 403],
  resumable: [(bearer) => ask("/storage/v1/upload/resumable", bearer, { method: "POST" }), 403],
  vectors: [(bearer) => ask("/storage/v1/vector/ListVectorBuckets", bearer, { method: "POST" }), 403],
  s3: [
    async (bearer) => {
      const signed = getSignedUrl(s3AsUser(backend, bearer), new GetObjectCommand({ Bucket: "a", Key: "b" }));
      return fetch(await signed, { headers: EVIL });
    },
    403,
  ],
  realtime: [(bearer) => ask("/realtime/v1/api/broadcast", bearer, broadcast), 401],
};

describe.each(Object.entries(WAYS))("%s", (_name, [way, status]) => {
  test.each(["auditor", "lifted", "supabase_admin", "service_role", "none"])(
    "%s is refused",
    async (role) => {
      const { status: given } = await way(await token({ role, sub: crypto.randomUUID() }));
      expect(given).toBe(status);
    },
  );

  test("a payload with a byte order mark is no token", async () => {
    const { status: given } = await way(marked("service_role"));
    expect(given).toBeGreaterThanOrEqual(400);
    expect(given).toBeLessThan(500);
  });
});

test("a role of the project without secret rights works from any page", async () => {
  const response = await ask("/rest/v1/secrets", await token({ role: "plain" }));
  expect([response.status, await response.json()]).toEqual([200, []]);
});

test("the role at another claim path counts", async () => {
  const [{ name } = { name: "" }] = await backend.sql<{ name: string }>(
    "select quote_ident(current_database()) as name",
  );
  await backend.sql(
    `alter role authenticator in database ${name} set pgrst.jwt_role_claim_key = '.app.role'`,
  );
  await backend.sql("notify pgrst, 'reload config'");
  const secret = await token({ role: "authenticated", app: { role: "service_role" } });
  const plain = await token({ role: "service_role", sub: "a", app: { role: "plain" } });
  await expect.poll(async () => (await ask("/rest/v1/secrets", secret)).status).toBe(403);
  expect((await ask("/rest/v1/secrets", plain)).status).toBe(200);
  await backend.sql(`alter role authenticator in database ${name} reset all`);
  await backend.sql("notify pgrst, 'reload config'");
});

test("a socket of a foreign page takes no token of a secret role", async () => {
  const socket = await PhoenixSocket.open(backend, { key: backend.anonKey, headers: EVIL });
  const refused = await socket.join("a", {}, { access_token: await token({ role: "auditor" }) });
  expect(refused).toMatchObject({
    response: { reason: expect.stringContaining("Secret keys do not work") },
  });
  socket.socket.terminate();
});

/** The files that verify a signature themselves; each gives the role, or what else it reads, as its reason. */
const VERIFIERS: Record<string, string> = {
  "tokens/keys.ts": "implements it",
  "tokens/other-issuer.ts": "implements it for tokens of another issuer, which have no secret role",
  "tokens/verify-token.ts": "implements it",
  "http/secret-rights.ts": "asks for the role",
  "rest/execute/role-and-claims.ts": "asks for the role at the configured claim path",
  "rest/execute/token-verifier.ts": "implements it for a secret in the settings",
  "rest/postgrest-settings.ts": "hands it to rest/execute/role-and-claims.ts",
  "realtime/kit/socket-token.ts": "asks for the role",
  "storage/disk/url-signer.ts": "its tokens name an object and no role",
};

test("every verification of a token asks who sends it", () => {
  const found = sourcesWith(/\b(?:checkToken|verifyToken)\(/);
  expect(found.filter((file) => !Object.hasOwn(VERIFIERS, file))).toEqual([]);
});
