/** The database address of the stand-in for hosted: TLS, its enforcement, and the pooler's user names. */
import { createConnection } from "node:net";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { REF, testProject } from "../../deploy/test/project.ts";
import { selfSigned } from "../database/certificate.ts";
import { startHosted } from "../index.ts";

const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()), ref: REF }));

const api = (method: string, path: string, body: unknown) =>
  fetch(`${hosted.management.url}/v1/projects/${REF}${path}`, {
    method,
    headers: { authorization: `Bearer ${hosted.management.accessToken}` },
    body: JSON.stringify(body),
  });
const enforce = (database: boolean) => api("PUT", "/ssl-enforcement", { requestedConfig: { database } });

/** Calls `work` with a connection as role postgres. */
async function connected<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, name } = hosted.project.databaseAddress;
  const client = new pg.Client({
    host,
    port,
    database: name,
    user: "postgres",
    password: "postgres",
    ...config,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
const whoAmI = async (client: pg.Client) => {
  const { rows } = await client.query<{ name: string }>("select session_user as name");
  const { stream } = (client as unknown as { connection: { stream: unknown } }).connection;
  return { name: rows[0]?.name, tls: stream instanceof TLSSocket };
};

test("TLS is offered and not demanded; its certificate is for localhost and 127.0.0.1", async () => {
  const ca = hosted.project.databaseCertificate;
  expect(await connected({}, whoAmI)).toEqual({ name: "postgres", tls: false });
  for (const host of ["127.0.0.1", "localhost"])
    expect(await connected({ host, ssl: { ca } }, whoAmI)).toEqual({ name: "postgres", tls: true });
  const other = selfSigned("Another").certificate;
  await expect(connected({ ssl: { ca: other } }, whoAmI)).rejects.toThrow(/self-signed|certificate/);
});

test("large results and parameters pass unchanged through TLS", async () => {
  const text = "äöü0123456789".repeat(200_000);
  await connected({ ssl: { rejectUnauthorized: false } }, async (client) => {
    const { rows } = await client.query<{ same: string }>("select $1::text as same", [text]);
    expect(rows[0]?.same).toBe(text);
  });
});

test("where TLS is enforced, a connection without it is refused as Postgres does", async () => {
  expect((await enforce(true)).status).toBe(200);
  try {
    await expect(connected({}, whoAmI)).rejects.toMatchObject({
      code: "28000",
      message: expect.stringMatching(/user "postgres".* no encryption/),
    });
    expect(await connected({ ssl: { rejectUnauthorized: false } }, whoAmI)).toMatchObject({ tls: true });
  } finally {
    await enforce(false);
  }
  expect(await connected({}, whoAmI)).toMatchObject({ tls: false });
});

test("the pooler's user names log in, also those of login roles; another project's are not known", async () => {
  const [pooler] = (await (
    await fetch(`${hosted.management.url}/v1/projects/${REF}/config/database/pooler`, {
      headers: { authorization: `Bearer ${hosted.management.accessToken}` },
    })
  ).json()) as { connection_string: string; connectionString: string }[];
  const address = pooler?.connectionString.replace("[YOUR-PASSWORD]", "postgres") ?? "";
  expect(address).toContain(`postgres.${REF}:postgres@`);
  // With the host that the Supabase CLI demands before the real one.
  expect(pooler?.connection_string).toBe(
    pooler?.connectionString.replace("@", "@pooler.standin.invalid:5432,"),
  );
  expect(await connected({ connectionString: address }, whoAmI)).toEqual({ name: "postgres", tls: false });

  const login = await api("POST", "/cli/login-role", { read_only: false });
  const { role, password } = (await login.json()) as { role: string; password: string };
  const pooled = { user: `${role}.${REF}`, password, ssl: { rejectUnauthorized: false } };
  expect(await connected(pooled, whoAmI)).toEqual({ name: role, tls: true });

  const unknown = `postgres.${"z".repeat(20)}`;
  await expect(connected({ user: unknown }, whoAmI)).rejects.toMatchObject({
    code: "XX000",
    message: "Tenant or user not found",
  });
  await expect(connected({ user: `postgres.${REF}`, password: "wrong" }, whoAmI)).rejects.toMatchObject({
    code: "28P01",
  });
});

test("a query is cancelled through it, and what is no Postgres client is let go", async () => {
  const { host, port } = hosted.project.databaseAddress;
  await connected({}, async (client) => {
    const cancelled = expect(client.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
    const running = "select 1 from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'";
    await expect
      .poll(async () => (await hosted.project.database.query("supabase_admin", running)).rows)
      .toHaveLength(1);
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const request = Buffer.alloc(16);
    for (const [index, value] of [16, 80_877_102, processID, secretKey].entries())
      request.writeInt32BE(value, index * 4);
    await exchange(host, port, request);
    await cancelled;
  });
  expect(await exchange(host, port, Buffer.from("GET / HTTP/1.1\r\n\r\n"))).toBe("");
});

test("a taken port is named", async () => {
  const { port } = hosted.project.databaseAddress;
  const cluster = await testCluster(process.cwd());
  const failed = startHosted({ cluster, ports: { database: port } });
  await expect(failed).rejects.toThrow(`Port ${port} is already in use.`);
});

test("homebase deploy uses TLS where the address asks for it, also where it is enforced", async () => {
  const project = testProject();
  try {
    await enforce(true);
    await expect(project.deploy(hosted, { skipSmoke: true })).rejects.toThrow("no encryption");
    const databaseUrl = `${hosted.databaseUrl}?sslmode=require`;
    // config.toml does not say anything about TLS: the setting stays.
    expect((await project.deploy(hosted, { databaseUrl, skipSmoke: true })).outcome).toBe("deployed");
    expect(hosted.project.sslEnforced).toBe(true);
  } finally {
    await enforce(false);
    project.drop();
  }
}, 180_000);

/** Sends bytes; resolves to what is answered until the end. */
function exchange(host: string, port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = createConnection({ host, port }, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      answer += text;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}
