/**
 * The stand-in for the extension http: a statement sends a request and returns its response (pgsql-http
 * documentation).
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";

let backend: TestBackend;
let url: string;

const server = createServer((incoming, answer) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => {
    if (incoming.url === "/never") return;
    if (incoming.url === "/moved") {
      answer.writeHead(302, { location: "/there" }).end();
      return;
    }
    answer.writeHead(incoming.url === "/missing" ? 404 : 200, {
      "content-type": "application/json",
      "x-mark": "seen",
    });
    const { method, headers, url: path } = incoming;
    answer.end(
      incoming.method === "HEAD"
        ? undefined
        : JSON.stringify({
            method,
            path,
            body: Buffer.concat(chunks).toString(),
            type: headers["content-type"],
            mark: headers["x-mark"],
            authorization: headers.authorization,
          }),
    );
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  backend = await createBackend({
    projectFolder: projectWith("", {
      "20260101000000_http.sql": `create extension if not exists http with schema extensions;
        create function public.ask(url text) returns text language sql security invoker as $$
          select content from extensions.http_get(url)
        $$;`,
    }),
  });
});
afterAll(async () => {
  await backend?.drop();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
});

const seen = async (call: string) => {
  const [row] = await backend.sql<{ status: number; content_type: string; content: string }>(
    `select status, content_type, content from extensions.${call}`,
  );
  return { ...row, content: JSON.parse(row?.content ?? "null") as unknown };
};

it("answers inside the statement that asks", async () => {
  expect(await seen(`http_get('${url}/a?b=1')`)).toEqual({
    status: 200,
    content_type: "application/json",
    content: { method: "GET", path: "/a?b=1", body: "" },
  });
  expect(await seen(`http_post('${url}/a', '{"x":1}', 'application/json')`)).toMatchObject({
    content: { method: "POST", body: '{"x":1}', type: "application/json" },
  });
  expect(await seen(`http_post('${url}/a', '{"x":"a b","y":"ü"}'::jsonb)`)).toMatchObject({
    content: { body: "x=a%20b&y=%C3%BC", type: "application/x-www-form-urlencoded" },
  });
  expect(await seen(`http_delete('${url}/a')`)).toMatchObject({ content: { method: "DELETE" } });
  expect(await seen(`http_get('${url}/missing')`)).toMatchObject({ status: 404 });
  expect(await seen(`http_get('${url}/moved')`)).toMatchObject({ status: 200, content: { path: "/there" } });
  expect(
    await seen(
      `http(('PUT', '${url}/a', array[extensions.http_header('X-Mark', 'm')], 'text/plain', 'hi')::extensions.http_request)`,
    ),
  ).toMatchObject({ content: { method: "PUT", body: "hi", type: "text/plain", mark: "m" } });
  expect(
    await backend.sql(
      `select h.value from extensions.http_head('${url}/a') r, unnest(r.headers) h where h.field = 'x-mark'`,
    ),
  ).toEqual([{ value: "seen" }]);
});

it("answers what was asked while nobody listened", async () => {
  await backend.database.query(
    "supabase_admin",
    "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name = 'homebase listener'",
  );
  expect(await seen(`http_get('${url}/a')`)).toMatchObject({ status: 200 });
});

it("serves a function that supabase-js calls", async () => {
  const answer = await fetch(`${backend.url}/rest/v1/rpc/ask`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: JSON.stringify({ url: `${url}/rpc` }),
  });
  expect(JSON.parse((await answer.json()) as string)).toMatchObject({ path: "/rpc" });
});

it("fails as curl does", async () => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  await expect(backend.sql(`select extensions.http_get('http://127.0.0.1:${port}/')`)).rejects.toThrow(
    new RegExp(`Failed to connect to 127.0.0.1 port ${port} after \\d+ ms: Couldn't connect to server`),
  );
  await expect(backend.sql(`select extensions.http_get('nonsense')`)).rejects.toThrow("URL rejected");
  await expect(
    backend.sql(
      `select extensions.http_get('${url}/never') from extensions.http_set_curlopt('CURLOPT_TIMEOUT_MS', '200')`,
    ),
  ).rejects.toThrow(/Operation timed out after \d+ milliseconds/);
});

it("takes every option that pgsql-http lets be set, says which have no effect, and sends name with password", async () => {
  const client = new pg.Client({ connectionString: backend.databaseUrl });
  const said: (string | undefined)[] = [];
  client.on("notice", ({ message }) => said.push(message));
  await client.connect();
  try {
    await client.query("set search_path = extensions");
    await client.query(
      "select http_set_curlopt('CURLOPT_CONNECTTIMEOUT', '5'), http_set_curlopt('CURLOPT_PROXY', 'x')",
    );
    await client.query("select http_set_curlopt('CURLOPT_USERPWD', 'ana:' || repeat('long', 30))");
    const none = (name: string) => `http: ${name} is kept and has no effect in Homebase.`;
    expect(said).toEqual([none("CURLOPT_CONNECTTIMEOUT"), none("CURLOPT_PROXY")]);
    const { rows } = await client.query("select curlopt from http_list_curlopt() order by 1");
    expect(rows.map(({ curlopt }) => curlopt)).toEqual([
      "CURLOPT_CONNECTTIMEOUT",
      "CURLOPT_PROXY",
      "CURLOPT_USERPWD",
    ]);
    const sent = async () =>
      (await client.query(`select content::jsonb ->> 'authorization' as sent from http_get('${url}/a')`))
        .rows[0]?.sent;
    expect(await sent()).toBe(`Basic ${btoa(`ana:${"long".repeat(30)}`)}`);
    await client.query("select http_reset_curlopt()");
    expect(await sent()).toBeNull();
    await expect(client.query("select http_set_curlopt('CURLOPT_URL', 'x')")).rejects.toThrow(
      "CURLOPT_URL is not an option that can be set",
    );
  } finally {
    await client.end();
  }
});

it("leaves no connection behind when its statement is cancelled, and shows its table to nobody", async () => {
  const client = new pg.Client({ connectionString: backend.databaseUrl });
  await client.connect();
  try {
    await client.query("set statement_timeout = 100");
    await expect(client.query(`select extensions.http_get('${url}/never')`)).rejects.toThrow(
      "statement timeout",
    );
    // The server's other process ends a moment after its connection.
    const connections = async () =>
      (
        await client.query(
          "select count(*)::int from pg_stat_activity where application_name = 'http' and datname = current_database()",
        )
      ).rows;
    await expect.poll(connections).toEqual([{ count: 0 }]);
  } finally {
    await client.end();
  }
  expect(
    await backend.sql(
      `select has_table_privilege(role, 'extensions._homebase_exchange', 'insert') or
         bool_or(has_function_privilege(role, p.oid, 'execute')) as may
       from unnest(array['postgres', 'service_role', 'authenticated', 'anon']) role, pg_proc p
       where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^homebase_(http|exchange)' group by role`,
    ),
  ).toEqual(Array(4).fill({ may: false }));
});

it("answers in the transaction that makes the extension too", async () => {
  const client = new pg.Client(backend.database.connection("postgres"));
  await client.connect();
  try {
    await client.query("begin; drop extension http cascade; create extension http with schema extensions");
    const { rows } = await client.query(`select status from extensions.http_get('${url}/a')`);
    expect(rows).toEqual([{ status: 200 }]);
  } finally {
    await client.query("rollback").finally(() => client.end());
  }
});
