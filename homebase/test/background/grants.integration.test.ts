/** Privileges on the objects of pg_cron, pg_net, Vault and webhooks: as on a hosted project. */
import { expect, it } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { projectWith } from "./project.ts";

const ROLES = ["postgres", "service_role", "authenticated", "anon"];

const backend = await forThisFile(
  createBackend({
    projectFolder: projectWith("[experimental.webhooks]\nenabled = true\n", {
      "20260101000000_cron.sql": "create extension pg_cron with schema extensions;",
    }),
  }),
);

/** The privileges that each role has, of those checked. */
async function held(kind: "table" | "function" | "schema" | "sequence", name: string, privileges: string[]) {
  const rows = await backend.sql<{ role: string; privilege: string }>(
    `select role, privilege from unnest($1::text[]) role, unnest($2::text[]) privilege
     where has_${kind}_privilege(role, $3, privilege)`,
    [ROLES, privileges, name],
  );
  return Object.fromEntries(
    ROLES.map((role) => [
      role,
      privileges
        .filter((privilege) => rows.some((row) => row.role === role && row.privilege === privilege))
        .join(" "),
    ]),
  );
}

const TABLE = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
const everybody = (text: string) => Object.fromEntries(ROLES.map((role) => [role, text]));

it("lets postgres alone into schema cron; of who is let in, each may schedule and see the own jobs", async () => {
  expect(await held("schema", "cron", ["USAGE", "USAGE WITH GRANT OPTION"])).toEqual({
    ...everybody(""),
    postgres: "USAGE USAGE WITH GRANT OPTION",
  });
  expect(await held("table", "cron.job", TABLE)).toEqual(everybody("SELECT"));
  expect(await held("table", "cron.job_run_details", TABLE)).toEqual({
    ...everybody("SELECT DELETE"),
    postgres: "SELECT INSERT UPDATE DELETE TRUNCATE REFERENCES",
  });
  for (const signature of [
    "schedule(text,text)",
    "schedule(text,text,text)",
    "unschedule(bigint)",
    "unschedule(text)",
  ]) {
    expect(await held("function", `cron.${signature}`, ["EXECUTE"]), signature).toEqual(everybody("EXECUTE"));
  }
  for (const signature of [
    "schedule_in_database(text,text,text,text,text,boolean)",
    "alter_job(bigint,text,text,text,text,boolean)",
  ]) {
    expect(await held("function", `cron.${signature}`, ["EXECUTE"]), signature).toEqual({
      ...everybody(""),
      postgres: "EXECUTE",
    });
  }
});

it("lets everybody ask by pg_net and see the queue, as pg_net's own script grants, but REFERENCES", async () => {
  expect(await held("schema", "net", ["USAGE", "CREATE"])).toEqual({
    ...everybody("USAGE"),
    postgres: "USAGE CREATE",
  });
  for (const table of ["net.http_request_queue", "net._http_response"]) {
    expect(await held("table", table, TABLE)).toEqual({
      // A foreign key of whoever holds REFERENCES would run its casts with the rights of the table's owner.
      ...everybody(TABLE.filter((privilege) => privilege !== "REFERENCES").join(" ")),
      postgres: TABLE.join(" "),
    });
  }
  expect(await held("sequence", "net.http_request_queue_id_seq", ["USAGE"])).toEqual(everybody("USAGE"));
  for (const signature of ["http_get(text,jsonb,jsonb,integer)", "wake()", "worker_restart()"]) {
    expect(await held("function", `net.${signature}`, ["EXECUTE"])).toEqual(everybody("EXECUTE"));
  }
  const [definer] = await backend.sql(
    "select count(*)::int as count from pg_proc where pronamespace = 'net'::regnamespace and proname like 'http_%' and prosecdef",
  );
  expect(definer).toEqual({ count: 0 });
});

it("writes answers as role postgres: a trigger that a visitor hangs on the tables gains nothing", async () => {
  await backend.sql(
    "create table public.ran_as (name text); grant insert on public.ran_as to public; grant create on schema public to authenticated",
  );
  await backend.database.transaction("postgres", async (client) => {
    await client.query("set local role authenticated");
    await client.query(
      "create function public.note() returns trigger language plpgsql as 'begin insert into public.ran_as values (current_user); return null; end'",
    );
    await client.query(
      "create trigger note after insert on net._http_response for each row execute function public.note()",
    );
    await client.query("select net.http_get('http://127.0.0.1:1/')");
  });
  await expect.poll(() => backend.sql("select name from public.ran_as")).toEqual([{ name: "postgres" }]);
});

it("lets postgres and service_role read, make and remove secrets, and nobody else", async () => {
  expect(await held("schema", "vault", ["USAGE"])).toEqual({
    ...everybody(""),
    postgres: "USAGE",
    service_role: "USAGE",
  });
  for (const name of ["vault.secrets", "vault.decrypted_secrets"]) {
    expect(await held("table", name, TABLE), name).toEqual({
      ...everybody(""),
      postgres: "SELECT DELETE TRUNCATE REFERENCES",
      service_role: "SELECT DELETE",
    });
  }
  for (const signature of [
    "create_secret(text,text,text,uuid)",
    "update_secret(uuid,text,text,text,uuid)",
    "_crypto_aead_det_decrypt(bytea,bytea,bigint,bytea,bytea)",
  ]) {
    expect(await held("function", `vault.${signature}`, ["EXECUTE"]), signature).toEqual({
      ...everybody(""),
      postgres: "EXECUTE",
      service_role: "EXECUTE",
    });
  }
  const encrypt = "vault._crypto_aead_det_encrypt(bytea,bytea,bigint,bytea,bytea)";
  expect(await held("function", encrypt, ["EXECUTE"])).toEqual(everybody(""));
});

it("gives webhooks to their own role, of which postgres is a member", async () => {
  expect(await held("schema", "supabase_functions", ["USAGE"])).toEqual(everybody("USAGE"));
  expect(await held("function", "supabase_functions.http_request()", ["EXECUTE"])).toEqual(
    everybody("EXECUTE"),
  );
  expect(await held("table", "supabase_functions.hooks", TABLE)).toEqual(everybody(TABLE.join(" ")));
  const owners = await backend.sql(
    `select distinct owner from (
       select relowner::regrole::text as owner from pg_class where oid in ('supabase_functions.hooks'::regclass, 'supabase_functions.migrations'::regclass)
       union all select proowner::regrole::text from pg_proc where oid = 'supabase_functions.http_request'::regproc) owners`,
  );
  expect(owners).toEqual([{ owner: "supabase_functions_admin" }]);
  expect(
    await backend.sql("select pg_has_role('postgres', 'supabase_functions_admin', 'member') as is"),
  ).toEqual([{ is: true }]);
});

it("schedules as the owner of the function that a visitor calls, and as the visitor who calls directly", async () => {
  await backend.sql(
    "create function public.plan(name text) returns bigint language sql security definer as $$ select cron.schedule(name, '0 0 1 1 *', 'select 1') $$",
  );
  const { status } = await fetch(`${backend.url}/rest/v1/rpc/plan`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: '{"name":"by function"}',
  });
  expect(status).toBe(200);
  await backend.sql("grant usage on schema cron to service_role");
  const visible = await backend.database.transaction("authenticator", async (client) => {
    await client.query("set local role service_role");
    await client.query("select cron.schedule('own', '0 0 1 1 *', 'select 1')");
    const { rows } = await client.query("select jobname from cron.job order by jobname");
    return rows;
  });
  // service_role has BYPASSRLS, as on hosted.
  expect(visible).toEqual([{ jobname: "by function" }, { jobname: "own" }]);
  expect(
    await backend.sql(
      "select jobname, username from cron.job where jobname in ('by function', 'own') order by 1",
    ),
  ).toEqual([
    { jobname: "by function", username: "postgres" },
    { jobname: "own", username: "service_role" },
  ]);
  const [own] = await backend.sql<{ jobid: string }>("select jobid from cron.job where jobname = 'own'");
  await expect(backend.sql("select cron.unschedule($1::bigint)", [own?.jobid])).rejects.toMatchObject({
    code: "42501",
    message: "permission denied for table job",
  });
  await expect(backend.sql("select cron.alter_job($1, active => false)", [own?.jobid])).rejects.toMatchObject(
    {
      message: `Job ${own?.jobid} does not exist or you don't own it`,
    },
  );
  await expect(backend.sql("select cron.unschedule(999999)")).rejects.toMatchObject({
    code: "XX000",
    message: "could not find valid entry for job 999999",
  });
});
