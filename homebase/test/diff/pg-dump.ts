/**
 * Owns the pg_dump and psql 17 of Debian 13 that dumps are compared with and restored by. Debian's own client fetches it, and checks its signatures,
 * into a folder of its own, where it runs with its own libraries: the system is not changed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const RELATIONS = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"];
/** The history of migrations is not part of a project's schema. */
const LEFT_OUT = "supabase_migrations";
/** A fixed key, so that two dumps of the same database are the same bytes. */
const RESTRICT_KEY = "oracle";

/** Is in a folder that has all of it; another than that of a folder which had pg_dump alone. */
const MARK = "with-psql";

export interface PgDumpTarget {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Fetches the programs into the folder unless they are there, and returns the function that dumps a schema. */
export function pgDump(folder: string): (target: PgDumpTarget) => string {
  const run = programs(folder);
  return (target) => {
    const options = [
      "--create",
      "--schema-only",
      `--restrict-key=${RESTRICT_KEY}`,
      `--exclude-schema=${LEFT_OUT}`,
    ];
    return run("pg_dump", options, target).stdout.replaceAll(target.database, "the_database");
  };
}

/** The same for the function that restores a file as a user does. @returns what psql says */
export function psql(folder: string): (target: PgDumpTarget, file: string) => string {
  const run = programs(folder);
  return (target, file) =>
    run("psql", ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", `--file=${file}`], target).stderr;
}

function programs(folder: string) {
  const root = join(folder, "root");
  if (!existsSync(join(root, MARK))) fetch(folder, root);
  return (
    name: string,
    options: readonly string[],
    { host, port, user, password, database }: PgDumpTarget,
  ) => {
    const { status, stdout, stderr, error } = spawnSync(
      join(root, "usr/lib64/ld-linux-x86-64.so.2"),
      [
        ...["--library-path", join(root, "usr/lib/x86_64-linux-gnu")],
        join(root, "usr/lib/postgresql/17/bin", name),
        ...options,
        ...["--host", host, "--port", String(port), "--username", user, database],
      ],
      { encoding: "utf8", maxBuffer: 1 << 28, env: { PGPASSWORD: password, LC_ALL: "C.UTF-8" } },
    );
    if (error || status !== 0) throw new Error(`${name} ended with ${status ?? error}: ${stderr}`);
    return { stdout, stderr };
  };
}

function fetch(folder: string, root: string): void {
  const archives = join(folder, "archives");
  for (const one of [join(folder, "lists/partial"), join(archives, "partial"), join(folder, "parts"), root]) {
    mkdirSync(one, { recursive: true });
  }
  const format = "$(REPO_URI) $(COMPONENT) $(ORIGIN) $(RELEASE)";
  const targets = run("apt-get", ["indextargets", "--format", format, "Created-By: Packages"]).split("\n");
  const mirror = targets.find((line) => / main Debian (?!.*(-security|-updates|-backports))/.test(line));
  if (!mirror) throw new Error("apt has no mirror of Debian; pg_dump cannot be fetched.");
  const sources = join(folder, "sources.list");
  writeFileSync(sources, `deb [signed-by=${KEYS}] ${mirror.split(" ")[0]} trixie main\n`);
  const options = [
    ["Dir::Etc::sourcelist", sources],
    ["Dir::Etc::sourceparts", join(folder, "parts")],
    ["Dir::State::lists", join(folder, "lists")],
    ["Dir::Cache", folder],
    ["Dir::Cache::archives", archives],
    ["APT::Sandbox::User", "root"],
    ["Debug::NoLocking", "1"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  run("apt-get", [...options, "update"]);
  const libraries = run("apt-cache", [
    ...options,
    "depends",
    "--recurse",
    ...RELATIONS.map((one) => `--no-${one}`),
    ...["libpq5", "libc6", "zlib1g", "liblz4-1", "libzstd1", "libreadline8t64"],
  ])
    .split("\n")
    .filter((line) => /^[a-z]/.test(line));
  run("apt-get", [...options, "download", ...new Set(libraries), "postgresql-client-17"], archives);
  for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
    run("dpkg-deb", ["-x", join(archives, file), root]);
  }
  writeFileSync(join(root, MARK), "");
}

function run(command: string, args: readonly string[], cwd?: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
