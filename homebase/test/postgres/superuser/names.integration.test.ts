/**
 * The walk over every function of role postgres that takes the name of a library, a file or an address: it is refused, dials
 * nobody without a password of its caller's, or is known to be harmless. One that is not in the list fails.
 */
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../src/postgres/connected.ts";
import { EXTENSIONS } from "../../../src/postgres/extensions/classes.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";

interface Taking {
  name: string;
  types: string[];
  variadic: boolean;
}

/** By what their names or those of their parameters say; a text, a name or bytes is among the parameters. */
const TAKING = `
  select n.nspname || '.' || p.proname as name, array(select format_type(t, null) from unnest(p.proargtypes) t) as types,
    p.provariadic <> 0 as variadic
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where has_function_privilege('postgres', p.oid, 'execute') and p.prokind = 'f'
    and p.proargtypes::oid[] && array['text'::regtype, 'name'::regtype, 'varchar'::regtype, 'text[]'::regtype, 'bytea'::regtype]::oid[]
    and (p.proname ~ '(file|dir$|_ls_|^lo_|librar|plugin|slot|dblink|connect|import|export|http|url|load|tablespace|archive|backup|conf)'
      or p.proargnames::text ~ '(file|path|dir|librar|plugin|conn|url|uri|host|address|server|slot)')
  order by 1`;

type Verdict = "refused" | "dials" | { harmless: string };
const harmless = (why: string) => ({ harmless: why });

const VERDICTS: readonly (readonly [RegExp, Verdict])[] = [
  [/^pg_catalog\.pg_(create|copy|drop)_(logical_|physical_)?replication_slot$/, "refused"],
  [/^pg_catalog\.pg_(logical_slot_(get|peek)(_binary)?_changes|replication_slot_advance)$/, "refused"],
  [/^pg_catalog\.binary_upgrade_/, harmless("fails outside of an upgrade")],
  [
    /^\w+\.dblink(_connect|_exec|_open|_close|_fetch|_send_query|_get_result|_is_busy|_cancel_query|_error_message|_disconnect|_get_notify)?$/,
    "dials",
  ],
  [
    /^\w+\.(dblink_build_sql_\w+|dblink_get_pkey|connectby)$/,
    harmless("text of statements about the caller's own tables"),
  ],
  [/^\w+\.dblink_fdw_validator$/, harmless("compares names of options")],
  [/^\w+\.postgres_fdw_disconnect$/, harmless("ends a connection of its session")],
  [
    /^(net|\w+)\.http_(get|post|delete|put|patch|head)$/,
    harmless("Homebase makes the request, in its own process, by http and https alone"),
  ],
  [
    /^net\.(_encode_url_with_params_array|_enqueue|_urlencode_string)$/,
    harmless("text, or a row of the caller's for Homebase"),
  ],
  [/^\w+\.(_http_carried|http_header|http_set_curlopt|url_decode|url_encode|urlencode)$/, harmless("text")],
  [
    /^(pg_catalog\.homebase_check_function|\w+\.plpgsql_(check|profiler)_function(_statements)?(_tb)?)$/,
    harmless("the search path of a check, or an error"),
  ],
  [/^pg_catalog\.(json|jsonb)_\w+$/, harmless("paths in a value")],
  [/^pg_catalog\.(database_to_xml\w*|set_config)$/, harmless("what the caller may read or set")],
  [/^pg_catalog\.(lo_from_bytea|lo_put)$/, harmless("large objects of the caller's, in the database")],
  [
    /^pg_catalog\.(pg_current_logfile|pg_split_walfile_name|pg_extension_config_dump|pg_extension_update_paths)$/,
    harmless("reads no file that it is given"),
  ],
  [
    /^pg_catalog\.(pg_ls_replslotdir|pg_stat_get_replication_slot)$/,
    harmless("names and sizes, for pg_monitor; a slot's name has no slash"),
  ],
  [/^\w+\.(\w*tablespace\w*)$/, harmless("reads the catalogue; there are no tablespaces")],
  [/^pgmq\.\w+$/, harmless("tables of the extension")],
  [/^pgtle\.(_keep|extension_update_paths)$/, harmless("scripts in a table of the extension")],
  [/^realtime\.list_changes$/, harmless("raises")],
  [
    /^storage\.(filename|list_multipart_uploads_with_delimiter)$/,
    harmless("text, and rows under row security"),
  ],
];

let backend: TestBackend;
let listener: Server;
let dialled = 0;
let taking: Taking[];
let socketFolder: string;

beforeAll(async () => {
  backend = await createBackend({ bare: true });
  ({ socketFolder } = (await testCluster(process.cwd())).address);
  for (const { name, class: kind } of EXTENSIONS)
    if (kind === "real" || kind === "stand-in")
      await backend
        .sql(`create extension if not exists "${name}" schema public cascade`)
        .catch(() => backend.sql(`create extension if not exists "${name}" cascade`));
  taking = (await backend.database.query("supabase_admin", TAKING)).rows as Taking[];
  listener = createServer((socket) => {
    dialled += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
}, 120_000);
afterAll(async () => {
  listener?.close();
  await backend?.drop();
});

const port = () => (listener.address() as { port: number }).port;
/** Addresses without a password: a listener, the same by the file of the server's own login, and the server's socket. */
const addresses = () => [
  `host=127.0.0.1 port=${port()} user=postgres dbname=postgres`,
  `host=127.0.0.1 port=${port()} user=homebase_http dbname=postgres passfile=${join(socketFolder, "passwords")}`,
  `host=${socketFolder} port=${backend.database.address.port} user=homebase_http dbname=${backend.database.name} passfile=${join(socketFolder, "passwords")}`,
];

test("every function that takes such a name is in the list, and no other", () => {
  expect(taking.length).toBeGreaterThan(100);
  const names = [...new Set(taking.map(({ name }) => name))];
  expect(names.filter((name) => VERDICTS.filter(([which]) => which.test(name)).length !== 1)).toEqual([]);
  expect(VERDICTS.filter(([which]) => !names.some((name) => which.test(name)))).toEqual([]);
});

function call({ name, types, variadic }: Taking, text: string): string {
  const value = (type: string) =>
    /^(text|name|character varying)$/.test(type)
      ? `'${text}'::${type}`
      : type === "boolean"
        ? "true"
        : /^(integer|bigint)$/.test(type)
          ? "1"
          : type === "pg_lsn"
            ? "'0/1'"
            : `null::${type}`;
  const values = types.map(
    (type, at) => `${variadic && at === types.length - 1 ? "variadic " : ""}${value(type)}`,
  );
  return `select ${name}(${values.join(", ")})`;
}

const verdict = ({ name }: Taking) => VERDICTS.find(([which]) => which.test(name))?.[1];

test("libraries and slots are refused before they are looked for", async () => {
  const refused = taking.filter((one) => verdict(one) === "refused");
  expect(refused.length).toBeGreaterThan(10);
  for (const one of refused)
    await expect(backend.sql(call(one, "/any/library.so")), one.name).rejects.toMatchObject({
      code: "42501",
    });
});

test("nobody is dialled without a password of the caller's own", async () => {
  const dialling = taking.filter((one) => verdict(one) === "dials");
  expect(dialling.length).toBeGreaterThan(20);
  for (const address of addresses())
    await connected(backend.database.connection("postgres"), async (client) => {
      for (const one of dialling) await client.query(call(one, address)).catch(() => undefined);
      const { rows } = await client.query("select public.dblink_get_connections() as open");
      expect(rows, address).toEqual([{ open: null }]);
    });
  expect(dialled).toBe(0);
  const { rows } = await backend.database.query(
    "supabase_admin",
    "select 1 from pg_stat_activity where usename = 'homebase_http'",
  );
  expect(rows).toEqual([]);
});

test("nor by a subscription or a foreign server, and no statement reads a file or loads a library", async () => {
  await backend.sql(
    "create extension if not exists postgres_fdw schema public; create table public.copied (line text)",
  );
  for (const [at, address] of addresses().entries()) {
    await expect(
      backend.sql(`create subscription s connection '${address}' publication p`),
      address,
    ).rejects.toThrow(/password is required/);
    const options = [...address.matchAll(/(host|port|dbname|passfile)=(\S+)/g)].map(
      ([, name, value]) => `${name} '${value}'`,
    );
    await backend.sql(`create server s${at} foreign data wrapper postgres_fdw options (${options.join(", ")});
      create user mapping for postgres server s${at} options (user 'homebase_http');
      create foreign table public.f${at} (id int) server s${at}`);
    await expect(backend.sql(`table public.f${at}`), address).rejects.toThrow(
      /password or GSSAPI delegated credentials required/,
    );
  }
  expect(dialled).toBe(0);
  for (const statement of [
    "load '/any/library.so'",
    "create function public.f() returns int language c as '/any/library.so', 'f'",
    "copy public.copied from '/etc/hostname'",
    "copy public.copied to '/tmp/copied'",
    "copy public.copied from program 'id'",
    "select pg_read_file('/etc/hostname')",
    "select pg_ls_dir('/')",
    "select lo_import('/etc/hostname')",
    "create tablespace t location '/tmp'",
    "alter system set archive_command = 'id'",
    "set dynamic_library_path = '/any'",
    "set session_preload_libraries = 'any'",
  ])
    await expect(backend.sql(statement), statement).rejects.toMatchObject({ code: "42501" });
});
