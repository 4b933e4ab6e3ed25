/**
 * Owns the pg_dump 17 of Debian 13 that dumps are compared with. Debian's own client fetches it, and checks its signatures,
 * into a folder of its own, where it runs with its own libraries: the system is not changed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const RELATIONS = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"];
/** The history of migrations is not part of a project's schema. */
const LEFT_OUT = "supabase_migrations";
/** A fixed key, so that two dumps of the same database are the same bytes. */
const RESTRICT_KEY = "oracle";

export interface PgDumpTarget {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Fetches pg_dump into the folder unless it is there, and returns the function that dumps a schema. */
export function pgDump(folder: string): (target: PgDumpTarget) => string {
  const root = join(folder, "root");
  if (!existsSync(join(root, "complete"))) fetch(folder, root);
  return ({ host, port, user, password, database }) =>
    execFileSync(
      join(root, "usr/lib64/ld-linux-x86-64.so.2"),
      [
        ...["--library-path", join(root, "usr/lib/x86_64-linux-gnu")],
        join(root, "usr/lib/postgresql/17/bin/pg_dump"),
        ...["--create", "--schema-only", `--restrict-key=${RESTRICT_KEY}`, `--exclude-schema=${LEFT_OUT}`],
        ...["--host", host, "--port", String(port), "--username", user, database],
      ],
      { encoding: "utf8", maxBuffer: 1 << 28, env: { PGPASSWORD: password, LC_ALL: "C.UTF-8" } },
    ).replaceAll(database, "the_database");
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
    ...["libpq5", "libc6", "zlib1g", "liblz4-1", "libzstd1"],
  ])
    .split("\n")
    .filter((line) => /^[a-z]/.test(line));
  run("apt-get", [...options, "download", ...new Set(libraries), "postgresql-client-17"], archives);
  for (const file of readdirSync(archives).filter((name) => name.endsWith(".deb"))) {
    run("dpkg-deb", ["-x", join(archives, file), root]);
  }
  writeFileSync(join(root, "complete"), "");
}

function run(command: string, args: readonly string[], cwd?: string): string {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
