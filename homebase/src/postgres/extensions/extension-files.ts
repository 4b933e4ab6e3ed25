/**
 * Owns the extension files that Homebase adds to the server's own: SQL of this folder, files from npm
 * packages, generated ones, and real extensions of this machine, which take precedence.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type ExtensionFile, extensionOf, trusted } from "./control-file.ts";
import { generatedExtensions } from "./inert-extensions.ts";
import { systemExtensions } from "./system.ts";

const require = createRequire(import.meta.url);

/** SQL and control files, a folder for each class. */
const FOLDERS = ["real", "stand-in"].map((name) => join(import.meta.dirname, name));

/**
 * npm packages made for another runtime that contain plain SQL, with the archive's path and the owner of the
 * objects.
 */
export const PACKAGES = [
  { package: "@electric-sql/pglite-pgtap", archive: "pgtap.tar.gz", extension: "pgtap", owner: "superuser" },
  { package: "@electric-sql/pglite-pgmq", archive: "pgmq.tar.gz", extension: "pgmq", owner: "creator" },
];

/** The files added to the server's private tree. */
export interface AddedExtensions {
  /** For `share/postgresql/extension`. */
  readonly files: readonly ExtensionFile[];
  /** Absolute paths of libraries for `lib/postgresql`. */
  readonly libraries: readonly string[];
  /** Names of real extensions found on this machine. */
  readonly system: readonly string[];
}

/** Collects the files. Only the machine's own may differ between calls. */
export function addedExtensions(): AddedExtensions {
  const system = systemExtensions();
  const taken = new Set(system.names);
  const own = [
    ...FOLDERS.flatMap((folder) =>
      readdirSync(folder)
        .sort()
        .map((name) => fileOf(folder, name)),
    ),
    ...generatedExtensions(),
    ...PACKAGES.flatMap(carried),
  ];
  return {
    files: [...own.filter(({ name }) => !taken.has(extensionOf(name))).map(keptIn), ...system.files],
    libraries: system.libraries,
    system: system.names,
  };
}

/**
 * A script that makes a table of the superuser's or asks Homebase, refused in a database that the project itself has made: what keeps a
 * project's casts and triggers away from such a table is only in those that the stack makes.
 */
function keptIn(file: ExtensionFile): ExtensionFile {
  if (
    !file.name.endsWith(".sql") ||
    !/\bcreate (?:unlogged )?table\b|homebase_(?:own_schema|exchange)/.test(file.text)
  )
    return file;
  return {
    name: file.name,
    text: `do $own$ begin
  if pg_catalog.to_regprocedure('pg_catalog.homebase_own_schema(name)') is null
    and not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname operator(pg_catalog.=) session_user) then
    raise exception using errcode = '0A000', message = 'extension "${extensionOf(file.name)}" can only be created in the database of the project',
      hint = 'This database was made by create database. The one of the project is called postgres.';
  end if;
end $own$;
${file.text}`,
  };
}

/**
 * A file, or a long script in parts: a folder of that name, whose files are joined in order of their names.
 */
function fileOf(folder: string, name: string): ExtensionFile {
  const path = join(folder, name);
  if (!statSync(path).isDirectory()) return { name, text: readFileSync(path, "utf8") };
  const parts = readdirSync(path).sort();
  return {
    name: `${name}.sql`,
    text: parts.map((part) => readFileSync(join(path, part), "utf8")).join("\n"),
  };
}

/**
 * An extension's files from an npm package. Optional: without the package Postgres reports that the extension
 * is not available.
 */
function carried({ package: name, archive, extension, owner }: (typeof PACKAGES)[number]): ExtensionFile[] {
  const bytes = archiveOf(name, archive);
  if (!bytes) return [];
  return [...readTar(gunzipSync(bytes))].flatMap((entry) => {
    const file = entry.name.split("/").pop() ?? "";
    if (!/\.(?:control|sql)$/.test(file) || extensionOf(file) !== extension) return [];
    const text = withEarlierSignatures(file, entry.bytes.toString("utf8"));
    return [{ name: file, text: file.endsWith(".control") && owner === "superuser" ? trusted(text) : text }];
  });
}

/**
 * pgmq with the signatures and the rows of hosted's version (1.5.1), which projects grant on and copy column by column:
 * its `read` and `pop` lack the last argument of today's, and its messages the column `last_read_at`. The functions are
 * added, and today's lose their default, so that a call is not ambiguous.
 */
function withEarlierSignatures(file: string, text: string): string {
  if (!/^pgmq--[\d.]+\.sql$/.test(file)) return text;
  const exact = text
    .replace(/^\s*last_read_at TIMESTAMP WITH TIME ZONE,\n/gm, "")
    .replace(/last_read_at = clock_timestamp\(\),\s*/g, "")
    .replace(/,\s*last_read_at = clock_timestamp\(\)/g, "")
    .replace(/ (?:m\.)?last_read_at,/g, "")
    .replace(
      /(FUNCTION pgmq\.read\(\s*queue_name TEXT,\s*vt INTEGER,\s*qty INTEGER,\s*conditional JSONB) DEFAULT '\{\}'/,
      "$1",
    )
    .replace(/(FUNCTION pgmq\.pop\(queue_name TEXT, qty INTEGER) DEFAULT 1\)/, "$1)");
  return `${exact}
create function pgmq.read(queue_name text, vt integer, qty integer) returns setof pgmq.message_record
  language sql as $$ select * from pgmq.read(queue_name, vt, qty, '{}'::jsonb) $$;
create function pgmq.pop(queue_name text) returns setof pgmq.message_record
  language sql as $$ select * from pgmq.pop(queue_name, 1) $$;
`;
}

/**
 * A package's archive. The published package includes a copy: the original package would install a second
 * Postgres.
 */
function archiveOf(name: string, archive: string): Buffer | undefined {
  const brought = join(import.meta.dirname, "carried", archive);
  if (existsSync(brought)) return readFileSync(brought);
  try {
    return readFileSync(join(dirname(require.resolve(name)), archive));
  } catch {
    return undefined;
  }
}

/** The regular files of a ustar archive. */
function* readTar(archive: Buffer): Generator<{ name: string; bytes: Buffer }> {
  for (let at = 0; at + 512 <= archive.length; ) {
    const header = archive.subarray(at, at + 512);
    const field = (from: number, length: number) =>
      header
        .subarray(from, from + length)
        .toString("utf8")
        .replace(/\0.*$/s, "")
        .trim();
    const name = field(0, 100);
    if (!name) return;
    const size = Number.parseInt(field(124, 12), 8) || 0;
    if (field(156, 1) === "0" || field(156, 1) === "") {
      yield { name, bytes: archive.subarray(at + 512, at + 512 + size) };
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
