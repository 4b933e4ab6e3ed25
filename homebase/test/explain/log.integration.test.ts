/** Postgres's log, which is a file of the project: an explanation that raises leaves no claims and no rows in it. */
import { afterAll, expect, test } from "vitest";
import { type ServerPlatform, socketPlatform } from "../../src/postgres/cluster/platform.ts";
import { createBackend } from "../../src/testing/index.ts";
import { startTestCluster } from "../../src/testing/shared-cluster.ts";
import { forThisFile } from "../for-this-file.ts";

let logged = "";
const platform: ServerPlatform = {
  ...socketPlatform,
  spawn: (...given) => {
    const child = socketPlatform.spawn(...given);
    child.stderr?.on("data", (text) => {
      logged += String(text);
    });
    return child;
  },
};
const cluster = await startTestCluster(process.cwd(), platform);
afterAll(() => cluster.stop(), 60_000);
const backend = await forThisFile(createBackend({ bare: true }));

test("an explanation that raises leaves neither claims nor the judged row in the log", async () => {
  await backend.sql(`
    create table public.bills (id int primary key, holder text);
    alter table public.bills enable row level security;
    grant all on public.bills to authenticated;
    create policy own on public.bills using (
      holder::uuid = (current_setting('request.jwt.claims', true)::json->>'secret')::uuid);
    create function public.lookup(holder text) returns int language plpgsql volatile as $$ begin
      insert into public.bills values (2, holder); return 1; end $$;
    insert into public.bills values (1, 'the-row-of-ana')`);
  const claims = { role: "authenticated", secret: "the-claim-of-ana" };
  const token = await backend.backend.keys.sign(claims);
  const ask = async (path: string, init: object = {}) =>
    (
      await fetch(backend.url + path, {
        ...init,
        headers: {
          apikey: backend.publishableKey,
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
        },
      })
    ).status;
  await expect.poll(() => ask("/rest/v1/bills")).toBe(400);
  await expect.poll(() => logged).toContain("invalid input syntax");
  const before = logged.length;
  const why = [await backend.why({ row: "1" })];
  const lines = () => logged.slice(before);
  // The request's own errors are logged as Postgres does; the marker says that the log has come that far.
  await ask("/rest/v1/rpc/lookup", { method: "POST", body: JSON.stringify({ holder: "the-argument" }) });
  await expect.poll(lines).toContain("the-argument");
  const then = logged.length;
  why.push(await backend.why());
  await backend.sql("do $$ begin raise warning 'the end'; end $$");
  await expect.poll(lines).toContain("the end");
  expect(why.join("\n")).toContain("invalid input syntax");
  expect(lines().slice(0, then - before)).not.toMatch(/the-row-of-ana|the-claim-of-ana/);
  expect(logged.slice(then)).not.toMatch(/ERROR|STATEMENT|the-/);
});
