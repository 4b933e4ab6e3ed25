/**
 * The walk over the stack's sessions and logins, over handlers and validators, and over functions that take the name of a
 * library, a file or an address. Faults of earlier versions are planted in it, and each must be found.
 */
import { createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { disableUnsafeObjects } from "../../../src/developer/unsafe-objects.ts";
import type { Cluster } from "../../../src/postgres/cluster/cluster.ts";
import { connected } from "../../../src/postgres/connected.ts";
import type { LoginRole } from "../../../src/postgres/database.ts";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { SESSIONS } from "../../../src/postgres/server-sessions.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import {
  LOGINS,
  type Login,
  makeHostile,
  plantLoginTrigger,
  probedCluster,
  type Ran,
  USES,
  violations,
} from "./session-walk.ts";

let cluster: Cluster;
let stop: (() => Promise<void>) | undefined;
let ran: Ran[];
let backend: TestBackend;
let refused: string[];

beforeAll(async () => {
  ({ cluster, ran, stop } = await probedCluster());
  backend = await createBackend({ bare: true });
  refused = await makeHostile(backend);
}, 120_000);
afterAll(async () => {
  await backend?.drop();
  await stop?.();
}, 60_000);

const admin = async <Row>(text: string) =>
  (await backend.database.query("supabase_admin", text)).rows as Row[];
const logins = () => admin<Login>(LOGINS);

/** Uses sessions. @returns what of the project ran in them, when their log has arrived */
async function walk(roles: readonly string[]): Promise<Ran[]> {
  ran.length = 0;
  for (const role of roles) await USES[role]?.(backend, cluster);
  const mark = `the end ${Math.random()}`;
  await backend.sql("select probes.probe($1)", [mark]);
  await expect.poll(() => ran.some(({ place }) => place === mark)).toBe(true);
  return [...ran];
}

test("the walk knows each session that the stack opens", () => {
  expect(Object.keys(USES).sort()).toEqual(SESSIONS.map(({ role }) => role).sort());
});

test("the hostile project has all that a project may make", () => {
  expect(refused).toEqual([
    expect.stringMatching(/invalid publication WHERE expression/),
    expect.stringMatching(/permission denied for table job$/),
    expect.stringMatching(/permission denied for table job_run_details$/),
    expect.stringMatching(/permission denied for table secrets$/),
  ]);
});

test("no session runs a project's code as a role that may do more than postgres", async () => {
  await plantLoginTrigger(backend);
  const all = await walk(Object.keys(USES));
  expect(violations(all, await logins())).toEqual([]);
  // Where nothing of the project ran, the walk would prove nothing.
  const places = new Set(all.map(({ place }) => place.replace(/ on .*/, "")));
  for (const place of [
    "domain",
    "cast",
    "default",
    "ROW trigger",
    "STATEMENT trigger",
    "constraint",
    "rule",
    "policy",
    "view",
    "function",
    "definer",
    "login",
    "ddl_command_end",
  ])
    expect(places, place).toContain(place);
  const sessions = new Set(all.map(({ session }) => session.replace(/_\d+$/, "")));
  for (const { role } of SESSIONS)
    expect(sessions.has(role), role).toBe(
      !["supabase_admin", "homebase_replication", "homebase_http"].includes(role),
    );
}, 120_000);

test("Homebase's own event triggers fire in the sessions that a project's code runs in", async () => {
  for (const { role } of SESSIONS.filter(({ password }) => password === "public"))
    await connected(backend.database.connection(role as LoginRole), async (client) => {
      expect((await client.query("show event_triggers")).rows, role).toEqual([{ event_triggers: "on" }]);
    });
  for (const role of ["postgres", "homebase_explain"] as const)
    await connected(backend.database.connection(role), async (client) => {
      await client.query("set role postgres");
      await expect(client.query("create table auth.mine (id int)"), role).rejects.toThrow(
        "permission denied for schema auth",
      );
    });
});

/** Supabase's logins that no session of the stack uses: programs may, by TCP. */
const OTHERS = ["pgbouncer", "supabase_etl_admin", "supabase_functions_admin", "supabase_replication_admin"];

test("every login of a server is a session's or one of Supabase's, and one that may do more fires no event trigger", async () => {
  const found = (await logins()).filter(({ name }) => name !== "worker");
  expect(found.map(({ name }) => name.replace(/^homebase_job_\d+$/, "homebase_job")).sort()).toEqual(
    [...SESSIONS.map(({ role }) => role), ...OTHERS].sort(),
  );
  const strong = found.filter(({ more, name }) => more.length > 0 || /^homebase_(reader|http)$/.test(name));
  expect(strong.map(({ name }) => name)).toEqual([
    "homebase_http",
    "homebase_reader",
    "homebase_replication",
    "supabase_admin",
  ]);
  expect(strong.filter(({ eventTriggers }) => eventTriggers)).toEqual([]);
});

test("planted: a login of the stack's fires event triggers", async () => {
  for (const role of ["homebase_replication", "homebase_http", "homebase_reader"]) {
    await admin(`alter role ${role} reset event_triggers`);
    const found = violations(await walk([role]), await logins());
    await admin(`alter role ${role} set event_triggers = off`);
    expect(found).toContain(`login as ${role} in a session of ${role}`);
  }
}, 60_000);

test("planted: a renamed role of the stack keeps its login", async () => {
  await admin("create role homebase_replication_1 login replication");
  const found = (await logins()).find(({ name }) => name === "homebase_replication_1");
  await admin("drop role homebase_replication_1");
  expect(found).toMatchObject({ more: ["replication"], eventTriggers: true });
  expect([...SESSIONS.map(({ role }) => role), ...OTHERS]).not.toContain("homebase_replication_1");
});

test("an event trigger on login is disabled in a project's files and refused elsewhere, and not the project's to enable", async () => {
  const made =
    "select evtenabled as enabled, evtowner::regrole::text as owner from pg_event_trigger where evtname = 'probe_disabled'";
  expect(await backend.sql(made)).toEqual([{ enabled: "D", owner: "supabase_admin" }]);
  for (const statement of [
    "alter event trigger probe_disabled enable",
    "alter event trigger probe_disabled owner to postgres",
    "create event trigger another on login execute function probes.on_login()",
    "select extensions.create_event_trigger('another', 'login', null, 'probes.on_login()'::regprocedure)",
  ])
    await expect(backend.sql(statement), statement).rejects.toMatchObject({ code: "42501" });
});

test("one that an earlier version let a project make is disabled and named, even when it raises", async () => {
  await backend.sql(
    "create or replace function probes.on_login() returns event_trigger language plpgsql as $$ begin raise 'nobody gets in'; end $$",
  );
  await expect(connected(backend.database.connection("postgres"), async () => 1)).rejects.toThrow(
    "nobody gets in",
  );
  expect(await disableUnsafeObjects(backend.database)).toEqual(["event trigger planted"]);
  expect(await disableUnsafeObjects(backend.database)).toEqual([]);
  expect(await connected(backend.database.connection("postgres"), async () => 1)).toBe(1);
  await expect(backend.sql("alter event trigger planted enable")).rejects.toMatchObject({ code: "42501" });
});

interface Named {
  name: string;
  kind: "handler" | "validator";
}

/** Every function of an extension that can be a handler or a validator, and one of the project's. */
const ATTACHED = `
  select distinct p.oid::regproc::text as name,
    case when p.prorettype = 'fdw_handler'::regtype or p.proname ~ '_handler$' then 'handler' else 'validator' end as kind
  from pg_proc p where p.prorettype = 'fdw_handler'::regtype or p.proargtypes = '1009 26'::oidvector and p.proname ~ 'validat'
    or p.proname ~ '_fdw_handler$' order by 2, 1`;

interface Wrapper {
  handler: string;
  validator: string;
}
const WRAPPERS = `select fdwhandler::regproc::text as handler, fdwvalidator::regproc::text as validator
  from pg_foreign_data_wrapper where fdwhandler <> 0 order by 1, 2`;

/** Pairs of a wrapper that lets anything be stored in its options. */
const loose = (wrappers: readonly Wrapper[]) =>
  wrappers.filter(({ handler, validator }) => handler.replace(/_handler$/, "_validator") !== validator);

test("a handler is attached with the validator of its own extension alone, whatever is asked for", async () => {
  for (const { name, class: kind } of EXTENSIONS)
    if (kind !== "refused" && /fdw|wrappers|dblink/.test(name))
      await admin(`create extension if not exists "${name}" schema extensions cascade`);
  await backend.sql(
    "create function probes.any_validator(text[], oid) returns void language plpgsql as $$ begin perform probes.probe('validator'); end $$",
  );
  const functions = await admin<Named>(ATTACHED);
  const named = (wanted: string) => functions.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  expect(
    await admin(
      "select p.oid::regproc::text as name from pg_proc p where prorettype = 'fdw_handler'::regtype and pronargs = 0",
    ),
  ).toEqual([{ name: "extensions.postgres_fdw_handler" }]);
  const validators = [null, ...named("validator")];
  expect(validators.length).toBeGreaterThan(15);
  const pairs = [null, ...named("handler")].flatMap((handler) =>
    validators.flatMap((validator) =>
      ["extensions.create_foreign_data_wrapper", "pg_catalog.homebase_create_wrapper"].map((call) => ({
        handler,
        validator,
        call,
      })),
    ),
  );
  await connected(backend.database.connection("postgres"), async (client) => {
    for (const { handler, validator, call } of pairs) {
      await client.query("begin");
      const made = await client.query(`select ${call}('w', $1, $2, '{}')`, [handler, validator]).then(
        () => true,
        () => false,
      );
      if (made) {
        const { rows } = await client.query<Wrapper>(WRAPPERS);
        expect(loose(rows), `${handler} ${validator}`).toEqual([]);
      }
      if (made && handler === "extensions.postgres_fdw_handler") {
        expect([null, "extensions.postgres_fdw_validator"]).toContain(validator);
        await client.query("create server s foreign data wrapper w options (host 'localhost')");
        await expect(
          client.query("create user mapping for postgres server s options (password_required 'false')"),
        ).rejects.toThrow(/password_required=false is superuser-only/);
      }
      await client.query("rollback");
    }
  });
}, 120_000);

test("planted: a wrapper has a handler with another validator; a start takes the handler and names it", async () => {
  await admin(
    `create foreign data wrapper planted handler extensions.postgres_fdw_handler;
     alter foreign data wrapper planted validator probes.any_validator;
     select pg_catalog.homebase_give_to_postgres('foreign data wrapper planted')`,
  );
  expect(loose(await admin<Wrapper>(WRAPPERS))).toEqual([
    { handler: "extensions.postgres_fdw_handler", validator: "probes.any_validator" },
  ]);
  const listener = createServer((socket) => void socket.resume());
  let dialled = 0;
  listener.on("connection", () => (dialled += 1));
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as { port: number };
  await backend.sql(`create server listening foreign data wrapper planted options (host '127.0.0.1', port '${port}');
    create user mapping for postgres server listening options (password_required 'false');
    create foreign table public.dials (id int) server listening`);
  expect(await disableUnsafeObjects(backend.database)).toEqual(["foreign data wrapper planted"]);
  await expect(backend.sql("table public.dials")).rejects.toThrow(/has no handler/);
  expect(dialled).toBe(0);
  listener.close();
});
