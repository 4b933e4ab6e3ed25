/** Jobs of a project's own roles: each runs as its owner, whatever password the owner has, and gains no right. */
import pg from "pg";
import { beforeAll, expect, it } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();
const backend = await forThisFile(createBackend({ bare: true }));
const admin = async <Row>(text: string, values: unknown[] = []) =>
  (await backend.database.query("supabase_admin", text, values)).rows as Row[];

beforeAll(async () => {
  await backend.sql(`create extension pg_cron;
    create role reporter login; create role "my \\ role" login; create role clerk; grant clerk to reporter;
    create table public.ticks (by text default current_user, path text default current_setting('search_path'));
    create schema reports;
    grant usage on schema cron to reporter, "my \\ role"; grant insert on public.ticks to reporter, "my \\ role", clerk`);
});

/** Runs a job of a role once. */
async function runJob(owner: string, command: string) {
  const [job] = await admin<{ id: string }>(
    "select cron.schedule_in_database($1, '1 second', $2, current_database(), $3) as id",
    [`of ${owner} ${Math.random()}`, command, owner],
  );
  const ended = async () =>
    (
      await admin<{ status: string; message: string }>(
        "select status, return_message as message from cron.job_run_details where jobid = $1 and end_time is not null",
        [job?.id],
      )
    )[0];
  await expect.poll(ended, { timeout: 15_000 }).toBeDefined();
  await admin("select cron.unschedule($1::bigint)", [job?.id]);
  return ended();
}

it.each(["password null", "password 'its own'", "valid until 'yesterday'"])(
  "a job of a role with %s runs as the role, and changes nothing of it",
  async (change) => {
    await backend.sql(
      `alter role reporter ${change}; alter role reporter set search_path = reports, public; truncate public.ticks`,
    );
    const verifier = "select rolpassword, rolvaliduntil from pg_authid where rolname = 'reporter'";
    const before = await admin(verifier);
    expect(await runJob("reporter", "insert into public.ticks default values")).toMatchObject({
      status: "succeeded",
    });
    const [tick] = await backend.sql("select distinct by, path from public.ticks");
    expect(tick).toEqual({ by: "reporter", path: "reports, public" });
    expect(await admin(verifier)).toEqual(before);
  },
);

it("a setting that is taken back is gone in the next job", async () => {
  await backend.sql("alter role reporter reset search_path; truncate public.ticks");
  await runJob("reporter", "insert into public.ticks default values");
  expect(await backend.sql("select distinct path from public.ticks")).toEqual([{ path: '"$user", public' }]);
});

it("a role's name may have spaces and backslashes", async () => {
  await backend.sql("truncate public.ticks");
  await runJob("my \\ role", "insert into public.ticks default values");
  expect(await backend.sql("select distinct by from public.ticks")).toEqual([{ by: "my \\ role" }]);
});

it("a job becomes the roles of its owner, and no other", async () => {
  await backend.sql("truncate public.ticks");
  const command =
    "set role clerk; insert into public.ticks default values; reset role; insert into public.ticks default values";
  expect(await runJob("reporter", command)).toMatchObject({ status: "succeeded" });
  expect(await backend.sql("select distinct by from public.ticks order by 1")).toEqual([
    { by: "clerk" },
    { by: "reporter" },
  ]);
  for (const way of [
    "set role none; insert into public.ticks default values",
    "set role postgres",
    "set session authorization postgres",
  ])
    expect(await runJob("reporter", way), way).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/permission denied/),
    });
});

it("a role that may not log in has no jobs", async () => {
  await backend.sql("alter role reporter nologin");
  expect(await runJob("reporter", "select 1")).toEqual({
    status: "failed",
    message: 'ERROR:  role "reporter" is not permitted to log in\n',
  });
  await backend.sql("alter role reporter login");
});

it("a role that the project has made under the name of such a login does not become the owner", async () => {
  await backend.sql("create role audited login");
  const [{ oid = "" } = {}] = await backend.sql<{ oid: string }>("select 'audited'::regrole::oid as oid");
  await backend.sql(`create role homebase_job_${oid} login password 'known'`);
  expect(await runJob("audited", "select 1")).toMatchObject({ status: "succeeded" });
  const { host, port, name: database } = backend.database.address;
  const login = new pg.Client({ host, port, database, user: `homebase_job_${oid}`, password: "known" });
  login.on("error", () => {});
  await expect(login.connect()).rejects.toMatchObject({ code: "28P01" });
  await login.end().catch(() => undefined);
});
