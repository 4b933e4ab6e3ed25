/**
 * Owns the walk over the stack's sessions: a hostile project that hangs its code on everything it may, a probe that writes
 * who ran it into the server's log (which no rollback and no read-only transaction holds back), how each session is opened
 * and used as the stack does, and the verdict.
 */
import { createClient } from "@supabase/supabase-js";
import { createLog } from "../../../src/core/log.ts";
import { resetLockouts } from "../../../src/developer/lockouts.ts";
import { freePort } from "../../../src/developer/ports.ts";
import { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { renewPowers } from "../../../src/postgres/cluster/template-databases.ts";
import { connected } from "../../../src/postgres/connected.ts";
import type { TestBackend } from "../../../src/testing/index.ts";
import { advise } from "../../../src/tools/checks/advisors.ts";
import { ReadOnly } from "../../../wings/mcp/read-only.ts";
import { ChangeRig, on } from "../../realtime/change-rig.ts";

/** Who ran a piece of the project's code. */
export interface Ran {
  place: string;
  current: string;
  session: string;
}

const LINE = /homebase probe: (.*) \| (.*) \| (.*)$/;

/** A cluster for this process's Backends whose log says who ran the probe. */
export async function probedCluster(): Promise<{ cluster: Cluster; ran: Ran[]; stop: () => Promise<void> }> {
  const ran: Ran[] = [];
  const log = createLog("probe", ({ message }) => {
    const [, place, current, session] = LINE.exec(message) ?? [];
    if (place && current && session) ran.push({ place, current, session });
  });
  const options = { projectFolder: process.cwd(), port: await freePort(), durable: false, log };
  const cluster = await Cluster.start(options);
  const { HOMEBASE_TEST_CLUSTER: shared } = process.env;
  process.env.HOMEBASE_TEST_CLUSTER = JSON.stringify(cluster.address);
  const stop = async () => {
    // The next file of this process finds the run's cluster again.
    if (shared === undefined) delete process.env.HOMEBASE_TEST_CLUSTER;
    else process.env.HOMEBASE_TEST_CLUSTER = shared;
    await cluster.stop();
  };
  return { cluster, ran, stop };
}

/** Made by role postgres. What it is refused is tried too, each alone. */
const HOSTILE = [
  `create schema probes; grant usage on schema probes to public;
   create function probes.probe(place text) returns boolean language plpgsql immutable as $$
     begin raise log 'homebase probe: % | % | %', place, current_user, session_user; return true; end $$;`,
  `create function probes.text_of(anyelement) returns text language plpgsql immutable as $$
     begin perform probes.probe('cast'); return 'x'; end $$;
   create domain public.checked as text check (probes.probe('domain'));
   create type public.pair as (a public.checked, b int);
   create function probes.pair_text(public.pair) returns text language sql immutable as $$ select probes.text_of(1) $$;
   create cast (public.pair as text) with function probes.pair_text(public.pair) as assignment;
   create function probes.same(public.checked, public.checked) returns boolean language plpgsql immutable as $$
     begin return probes.probe('operator'); end $$;
   create operator public.= (leftarg = public.checked, rightarg = public.checked, function = probes.same);
   create function probes.next() returns int language plpgsql as $$ begin perform probes.probe('default'); return 1 + (random() * 1e9)::int; end $$;
   create function probes.on_row() returns trigger language plpgsql as $$
     begin perform probes.probe(tg_level || ' trigger on ' || tg_table_name); return coalesce(new, old); end $$;`,
  `create table public.things (
     id int primary key default probes.next(), body public.checked, both_ public.pair,
     upper_ text generated always as (probes.text_of(1)) stored,
     constraint probed check (probes.probe('constraint'))
   );
   create index things_expression on public.things ((probes.text_of(id)));
   create trigger each_row before insert or update or delete on public.things for each row execute function probes.on_row();
   create trigger each_statement after insert or update or delete on public.things for each statement execute function probes.on_row();
   create constraint trigger at_end after insert on public.things deferrable initially deferred for each row execute function probes.on_row();
   create rule also as on insert to public.things do also select probes.probe('rule');
   alter table public.things enable row level security;
   create policy everyone on public.things using (probes.probe('policy')) with check (probes.probe('policy'));
   create view public.seen as select id, body, probes.probe('view') as probed from public.things;
   create function public.called() returns boolean language plpgsql as $$ begin return probes.probe('function'); end $$;
   create function public.defined() returns boolean language plpgsql security definer as $$ begin return probes.probe('definer'); end $$;
   grant all on public.things, public.seen to anon, authenticated, service_role;`,
  `alter publication supabase_realtime add table public.things where (probes.probe('row filter'))`,
  `alter publication supabase_realtime add table public.things where (id > 0)`,
  `create trigger probed before insert or update on auth.users for each row execute function probes.on_row();
   create trigger probed before insert or update or delete on storage.objects for each row execute function probes.on_row()`,
  `create policy probed on realtime.messages using (probes.probe('messages policy')) with check (probes.probe('messages policy'));
   create policy probed on storage.objects using (probes.probe('objects policy')) with check (probes.probe('objects policy'))`,
  `create extension pg_cron; create extension pg_net; create extension http with schema extensions;
   create trigger probed before insert on net.http_request_queue for each row execute function probes.on_row();
   create trigger probed after insert on net._http_response for each row execute function probes.on_row()`,
  `create trigger probed before insert or update on cron.job for each row execute function probes.on_row()`,
  `create trigger probed before insert or update on cron.job_run_details for each row execute function probes.on_row()`,
  `create trigger probed before insert or update on vault.secrets for each row execute function probes.on_row()`,
  `create role worker login password 'its own'; grant usage on schema cron to worker`,
  ...["ddl_command_start", "ddl_command_end", "sql_drop", "table_rewrite"].map(
    (
      event,
    ) => `create function probes.on_${event}() returns event_trigger language plpgsql as $$ begin perform probes.probe('${event}'); end $$;
      select extensions.create_event_trigger('probe_${event}', '${event}', null, 'probes.on_${event}()'::regprocedure);
      alter event trigger probe_${event} enable always`,
  ),
  `create function probes.on_login() returns event_trigger language plpgsql as $$ begin perform probes.probe('login'); end $$;
   set homebase.files = on;
   select extensions.create_event_trigger('probe_disabled', 'login', null, 'probes.on_login()'::regprocedure)`,
];

/** Makes the project. @returns what it was refused */
export async function makeHostile(backend: TestBackend): Promise<string[]> {
  const refused: string[] = [];
  for (const statements of HOSTILE)
    await connected(backend.database.connection("postgres"), (client) => client.query(statements)).catch(
      (error: Error) => refused.push(error.message),
    );
  return refused;
}

/** As an earlier version let a project make it: enabled, and the project's. */
export async function plantLoginTrigger(backend: TestBackend): Promise<void> {
  await backend.database.query(
    "supabase_admin",
    `create event trigger planted on login execute function probes.on_login();
     alter event trigger planted enable always;
     select pg_catalog.homebase_give_to_postgres('event trigger planted')`,
  );
}

type Use = (backend: TestBackend, cluster: Cluster) => Promise<unknown>;
const ignore = () => undefined;

/** By role of sessions.ts: opens such a session as the stack does, and does what the stack does in it. */
export const USES: Record<string, Use> = {
  async supabase_admin({ database }, cluster) {
    await renewPowers(cluster, database.name);
    await resetLockouts(cluster, database.name);
    await connected(database.connection("supabase_admin"), async (client) => {
      await client.query(
        "select * from pg_catalog.homebase_cron_jobs(), pg_catalog.homebase_exchange_take()",
      );
      await client.query("create extension if not exists citext schema extensions; drop extension citext");
    });
  },
  async homebase_replication(backend) {
    const stream = { ...backend.database.connection("homebase_replication"), replication: "database" };
    await connected(stream, (client) => client.query("IDENTIFY_SYSTEM"));
    const listener = await new ChangeRig(backend).listener([on("things")]);
    await backend.sql("insert into public.things (body, both_) values ('a', row('b', 1))");
    await backend.sql("update public.things set body = 'c'; delete from public.things");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await listener.close();
  },
  async homebase_explain(backend) {
    const client = createClient(backend.url, backend.secretKey);
    await client.rpc("called");
    await backend.why();
    await connected(backend.database.connection("homebase_explain"), async (session) => {
      await session.query("set role postgres; select public.called(), public.defined()");
    });
  },
  async homebase_reader({ database }) {
    const reader = new ReadOnly(database);
    const { signal } = new AbortController();
    for (const query of ["select * from public.seen", "select public.called(), public.defined()"])
      await reader.rows(query, signal).catch(ignore);
    await reader.tool(signal, (session) => session.rows("select 1"));
    await reader.close();
    // Beyond what the read-only transaction lets an assistant do.
    await connected(database.connection("homebase_reader"), (client) =>
      client.query("create temp table made (); drop table made"),
    ).catch(ignore);
  },
  async postgres({ database }) {
    await connected(database.connection("postgres"), async (client) => {
      await client.query("insert into public.things (body) values ('x'); table public.seen");
      await client.query("analyze public.things");
      await advise(client, ["public"]);
    });
  },
  async authenticator(backend) {
    const client = createClient(backend.url, backend.publishableKey);
    await client.from("things").insert({ body: "x" }).select();
    await client.from("seen").select();
    await client.rpc("called");
    await client.rpc("defined");
  },
  async supabase_auth_admin(backend) {
    const client = createClient(backend.url, backend.publishableKey);
    await client.auth.signUp({ email: `${Math.random()}@example.com`, password: "correct horse" });
  },
  async supabase_storage_admin(backend) {
    const client = createClient(backend.url, backend.secretKey);
    await client.storage.createBucket("pictures");
    await client.storage.from("pictures").upload(`${Math.random()}.txt`, "hello");
  },
  async homebase_http({ database }) {
    await database.query("postgres", "select extensions.http_get('http://127.0.0.1:1/')").catch(ignore);
  },
  async homebase_job(backend) {
    await backend.sql("grant usage on schema cron, public, probes to worker");
    const command =
      "select public.called(), current_user; reset role; select public.called(); set role none; select public.called()";
    await backend.database.query(
      "supabase_admin",
      "select cron.schedule_in_database('by-worker', '1 second', $1, current_database(), 'worker')",
      [command],
    );
    const ended =
      "select status, return_message from cron.job_run_details where username = 'worker' and end_time is not null";
    for (let patience = 100; (await backend.sql(ended)).length === 0; patience -= 1) {
      if (patience === 0) throw new Error("The job did not run.");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await backend.database.query("supabase_admin", "select cron.unschedule('by-worker')").catch(ignore);
  },
  async supabase_read_only_user({ database }) {
    await connected(database.connection("supabase_read_only_user"), (client) =>
      client.query("table public.seen; select public.called()"),
    );
  },
};

/** A role, and whether it may do more than role postgres: by its attributes or the roles that it is a member of. */
export interface Login {
  name: string;
  more: string[];
  /** Whether role postgres may become it. */
  within: boolean;
  eventTriggers: boolean;
}

/** Memberships in roles that postgres is no member of count, predefined ones too; so do rights on functions of its own. */
export const LOGINS = `
  with own as (select * from pg_roles where rolname = 'postgres')
  select r.rolname::text as name, array_remove(array[
      case when r.rolsuper then 'superuser' end,
      case when r.rolreplication then 'replication' end,
      case when r.rolbypassrls and not own.rolbypassrls then 'bypassrls' end]
      || array(select x.rolname::text from pg_roles x where x.oid <> r.oid and not r.rolsuper
        and pg_has_role(r.oid, x.oid, 'member') and not pg_has_role('postgres', x.oid, 'member')), null) as more,
    pg_has_role('postgres', r.oid, 'member') as within,
    not exists (select from pg_db_role_setting s where s.setrole = r.oid and s.setdatabase = 0
      and 'event_triggers=off' = any (s.setconfig)) as "eventTriggers"
  from pg_roles r, own where r.rolcanlogin order by 1`;

/** The project's code runs in these by what they are for, and has no right that postgres has not; in some event triggers do. */
const CALLED_BY: Record<string, { events: boolean }> = {
  homebase_explain: { events: true },
  homebase_job: { events: true },
  supabase_read_only_user: { events: true },
  homebase_reader: { events: false },
};
const EVENTS = /^(login|ddl_command_\w+|sql_drop|table_rewrite)$/;

/** What ran in the stack's sessions as a role that is none of the project's to act as, or has more rights than it. */
export function violations(ran: readonly Ran[], logins: readonly Login[]): string[] {
  const known = new Map(logins.map((login) => [login.name, login]));
  const bad = ({ place }: Ran, role: string) => {
    const login = known.get(role);
    // API roles log in nowhere; postgres is a member of them all.
    if (!login) return false;
    if (login.more.length > 0) return true;
    const called = CALLED_BY[role.replace(/_\d+$/, "")];
    return !login.within && !(called && (called.events || !EVENTS.test(place)));
  };
  const found = ran.filter((one) => bad(one, one.current) || bad(one, one.session));
  return [
    ...new Set(
      found.map(({ place, current, session }) => `${place} as ${current} in a session of ${session}`),
    ),
  ];
}
