/** A data folder of the version before the endpoint: the next start makes the login, and Vault refuses it. */
import { afterAll, expect, test, vi } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { McpStack } from "./stack.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const SECRET = `
create function private.secret() returns text language sql security definer
  as 'select decrypted_secret from vault.decrypted_secrets';
select vault.create_secret('the secret', 'key');`;
const stack = new McpStack({ "migrations/20260101000001_secret.sql": SECRET });
afterAll(() => stack.project.remove());

test("SQL runs in it, and reads no secret", async () => {
  await stack.start();
  await stack.project.stop();
  const cluster = await Cluster.start({
    projectFolder: stack.project.folder,
    port: undefined,
    durable: true,
  });
  await cluster.admin(async (client) => {
    const { rows } = await client.query<{ text: string }>(
      "select pg_get_functiondef('vault._key(bytea, bytea)'::regprocedure) as text",
    );
    const earlier = rows[0]?.text.replace(/if session_user[\s\S]*?end if;/, "") ?? "";
    expect(earlier).not.toContain("homebase_reader");
    await client.query(earlier);
    await client.query("drop role homebase_reader; alter database postgres set homebase.version = '7'");
  }, "postgres");
  await cluster.stop();
  await stack.start();
  expect(await stack.call("execute_sql", { query: "select title from notes where id = 1" })).toContain(
    '"title": "Menu"',
  );
  const secret = await stack.tool("execute_sql", { query: "select private.secret()" });
  expect([secret.isError, secret.text]).toEqual([
    true,
    expect.stringContaining("Vault: this login reads no secrets."),
  ]);
  const { stdout } = await stack.project.run("db", "query", "select private.secret()", "--json");
  expect(JSON.parse(stdout)).toEqual([{ secret: "the secret" }]);
});
