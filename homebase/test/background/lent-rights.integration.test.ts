/** A project's SQL runs with the project's rights: no `reset role` makes it a superuser. */
import pg from "pg";
import { beforeAll, expect, it } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { ChangeRig, changes, on, rows } from "../realtime/change-rig.ts";
import { PhoenixSocket } from "../realtime/phoenix-socket.ts";

await useOwnCluster();

/** False when any of the ways leads to a superuser; resets the role afterwards. */
const SAFE = `
  create function public.safe() returns bool language plpgsql volatile as $$
  declare
    way text;
    before text := current_setting('role');
    is_super bool := false;
  begin
    foreach way in array array['reset role', 'reset session authorization', 'set role none',
      'set role supabase_admin', 'set session authorization supabase_admin', 'set role postgres'] loop
      begin
        execute way;
        is_super := is_super or (select bool_or(rolsuper) from pg_roles where rolname in (current_user, session_user));
      exception when others then null;
      end;
    end loop;
    perform set_config('role', before, true);
    return not is_super;
  end $$;
  create function public.demand_safe() returns trigger language plpgsql as $$
  begin
    if not public.safe() then raise exception 'a superuser'; end if;
    return coalesce(new, old);
  end $$;
  -- Found before those of pg_catalog where a text is put to a name, if schema public is looked in.
  create function public.join_names(left_ name, right_ name) returns text language plpgsql as $$
  begin
    if not public.safe() then create role made_by_operator; end if;
    return left_::text operator(pg_catalog.||) right_::text;
  end $$;
  create operator public.|| (leftarg = name, rightarg = name, function = public.join_names);`;

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql("create extension pg_net; create extension pg_cron with schema extensions");
  await backend.sql(SAFE);
});

it("notices a superuser where there is one", async () => {
  // A connection of its own: the function leaves another role in it.
  const client = new pg.Client(backend.database.connection("supabase_admin"));
  await client.connect();
  try {
    expect((await client.query("select public.safe() as safe")).rows).toEqual([{ safe: false }]);
  } finally {
    await client.end();
  }
});

/** The result of a command that runs as its owner's pg_cron job. */
async function runJob(command: string) {
  const [job] = await backend.sql<{ id: string }>("select cron.schedule('1 second', $1) as id", [command]);
  const outcome = async () =>
    (
      await backend.sql<{ status: string; return_message: string }>(
        "select status, return_message from cron.job_run_details where jobid = $1 and end_time is not null",
        [job?.id],
      )
    )[0];
  await expect.poll(outcome, { timeout: 10_000 }).toBeDefined();
  await backend.sql("select cron.unschedule($1::bigint)", [job?.id]);
  return outcome();
}

it("in a job", async () => {
  expect(
    await runJob("do $$ begin if not public.safe() then raise exception 'a superuser'; end if; end $$"),
  ).toEqual({
    status: "succeeded",
    return_message: "DO",
  });
  for (const way of ["reset session authorization", "reset role", "set session authorization default"]) {
    expect(await runJob(`${way}; create role made_by_job superuser`)).toMatchObject({ status: "failed" });
  }
  expect(await runJob("set session authorization supabase_admin")).toMatchObject({
    status: "failed",
    return_message: expect.stringContaining("permission denied"),
  });
  expect(await backend.sql("select 1 from pg_roles where rolname = 'made_by_job'")).toEqual([]);
});

it("in a job of a role that may not log in: it does not run, as with pg_cron itself", async () => {
  await backend.database.query(
    "supabase_admin",
    "insert into cron.job (schedule, command, database, username) values ('1 second', 'select 1', 'postgres', 'service_role')",
  );
  const outcome = () =>
    backend.sql(
      "select distinct status from cron.job_run_details where username = 'service_role' and end_time is not null",
    );
  await expect.poll(outcome, { timeout: 10_000 }).toEqual([{ status: "failed" }]);
  await backend.database.query("supabase_admin", "delete from cron.job where username = 'service_role'");
});

it("in a trigger on the tables that answers and requests of pg_net stand in", async () => {
  await backend.sql(`
    create trigger safe after insert on net._http_response for each row execute function public.demand_safe();
    create trigger safe before delete on net.http_request_queue for each row execute function public.demand_safe()`);
  const [asked] = await backend.sql<{ id: string }>("select net.http_get('http://127.0.0.1:1/') as id");
  await expect.poll(() => backend.sql("select id from net._http_response")).toEqual([{ id: asked?.id }]);
});

it("in a policy and a trigger on the messages of private channels", async () => {
  await backend.sql(`
    create policy safe on realtime.messages to authenticated using (public.safe()) with check (public.safe());
    create trigger safe before insert on realtime.messages for each row execute function public.demand_safe()`);
  // Role postgres may not alter the service's table; on an earlier version it may have altered it.
  await backend.database.query(
    "supabase_admin",
    "alter table realtime.messages alter column topic set default public.safe()::text",
  );
  const rig = new ChangeRig(backend);
  const socket = await PhoenixSocket.open(backend);
  const config = { private: true, presence: { enabled: true } };
  const reply = await socket.join("guarded", config, { access_token: await rig.token() });
  expect(reply).toMatchObject({ status: "ok" });
  socket.close();
});

it("in a policy on a table whose changes are told, in a trigger on subscriptions, and in an operator", async () => {
  const rig = new ChangeRig(backend);
  await rig.table(
    "guarded",
    "id int primary key",
    `alter table public.guarded enable row level security; grant select on public.guarded to authenticated;
     create policy safe on public.guarded to authenticated using (public.safe());
     create trigger safe before insert or delete on realtime.subscription for each row execute function public.demand_safe()`,
  );
  const socket = await rig.listener([on("guarded")]);
  await backend.sql("insert into public.guarded values (1)");
  await changes(socket, 1);
  expect(rows(socket)).toEqual([{ id: 1 }]);
  socket.close();
  // The publications are polled every second: by then the operator would have been used.
  const other = await rig.listener([on("guarded")]);
  await rig.table("later", "id int primary key", "grant select on public.later to authenticated");
  await expect
    .poll(() => backend.sql("select 1 from pg_roles where rolname = 'made_by_operator'"), { timeout: 2_000 })
    .toEqual([]);
  other.close();
});

it("in a trigger on auth.users, and in a hook", async () => {
  await backend.sql(
    "create trigger safe before insert or update on auth.users for each row execute function public.demand_safe()",
  );
  const response = await fetch(`${backend.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: JSON.stringify({ email: "safe@example.com", password: "correct horse" }),
  });
  expect(response.status).toBe(200);
});

it("in a policy and a trigger on storage.objects", async () => {
  await backend.sql(`
    insert into storage.buckets (id, name) values ('guarded', 'guarded');
    create policy safe on storage.objects to anon using (public.safe()) with check (public.safe());
    create trigger safe before insert on storage.objects for each row execute function public.demand_safe()`);
  const headers = { apikey: backend.anonKey, authorization: `Bearer ${backend.anonKey}` };
  const url = `${backend.url}/storage/v1/object/guarded/note.txt`;
  expect((await fetch(url, { method: "POST", headers, body: "text" })).status).toBe(200);
  const read = await fetch(url.replace("object/", "object/authenticated/"), { headers });
  expect(await read.text()).toBe("text");
});

it("in a function that the API calls", async () => {
  const response = await fetch(`${backend.url}/rest/v1/rpc/safe`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: "{}",
  });
  expect(await response.json()).toBe(true);
});
