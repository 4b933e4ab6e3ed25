/** A data folder of the version before the endpoint: the next start makes the login, and Vault refuses it. */
import { afterAll, expect, test, vi } from "vitest";
import { noteLogins } from "../../../src/postgres/cluster/access.ts";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { READER_ROLE } from "../../../src/postgres/guarded-logins.ts";
import { readUpgrades } from "../../../src/postgres/upgrades/apply.ts";
import { McpStack } from "./stack.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

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
  // An earlier version has not recorded the logins that it made.
  noteLogins(cluster.folder, undefined);
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

test("an upgrade makes the login of assistants' SQL, and takes over no role of the project with its name", async () => {
  const started = await Cluster.start({ projectFolder: process.cwd(), port: undefined, durable: false });
  const upgrade = readUpgrades().find(({ file }) => file.startsWith("0008"))?.sql ?? "";
  const found = await started.admin(async (client) => {
    const roles = async () =>
      (
        await client.query<{ name: string; rights: string }>(
          `select r.rolname as name, concat_ws(' ', case when r.rolbypassrls then 'bypassrls' end,
             (select string_agg(b.rolname, ' ') from pg_auth_members m join pg_roles b on b.oid = m.roleid
              where m.member = r.oid)) as rights
           from pg_roles r where r.rolname ~ '^homebase_reader' order by 1`,
        )
      ).rows;
    await client.query(`drop role ${READER_ROLE}`);
    await client.query(upgrade);
    const made = await roles();
    await client.query(upgrade);
    const again = await roles();
    await client.query(`drop role ${READER_ROLE}; create role maker createrole; set role maker`);
    await client.query(`create role ${READER_ROLE}; reset role`);
    await client.query(upgrade);
    return { made, again, beside: await roles() };
  });
  await started.stop();
  const own = { name: READER_ROLE, rights: "bypassrls pg_read_all_data" };
  expect(found).toEqual({
    made: [own],
    again: [own],
    beside: [own, { name: expect.stringMatching(/^homebase_reader_\d+$/), rights: "" }],
  });
});
