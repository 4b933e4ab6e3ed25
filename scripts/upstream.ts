/**
 * `npm run upstream`: what newer versions of Supabase's clients and of its CLI send or have that the versions of this project
 * do not, so that an update begins with a list. The tests of `homebase/test/upstream` hold the versions of this project.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SCHEMA, type Schema, sampleOf } from "../homebase/test/upstream/config-schema.ts";
import { CLIENTS, type Sent, sentBy } from "../homebase/test/upstream/sent.ts";
import { capture, endWithParent, exitWithHelp, root } from "./process.ts";
import { CONFIG, ensureSupabase, VERSION } from "./supabase-cli.ts";

const HELP = `Usage: npm run upstream [-- options] [package@version ...]

Prints what the newest versions of supabase-js's parts and of the Supabase CLI's config have that those of this
project do not: requests, members, parameters, headers, words and keys. Or what the named versions have.

Options:
  --json       as JSON
  -h, --help   this text`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});
if (values.help) exitWithHelp(HELP);
endWithParent();

const NAMES = [...CLIENTS.map(({ name }) => name), CONFIG.slice(0, CONFIG.lastIndexOf("@"))];
const strange = positionals.find((one) => !NAMES.some((name) => one.startsWith(`${name}@`)));
if (strange) {
  console.error(`${strange} is no version of ${NAMES.join(", ")}.`);
  process.exit(2);
}

type Names = Partial<Record<keyof Sent | "keys", string[]>>;

/** What a package's version has more than this project's. */
interface Comparison {
  name: string;
  here: string;
  there: string;
  added: Names;
}

const folder = mkdtempSync(join(tmpdir(), "nosh-upstream-"));
try {
  const cli = await ensureSupabase();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const wanted = NAMES.map(
    (name) => positionals.find((one) => one.startsWith(`${name}@`)) ?? `${name}@latest`,
  );
  const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--omit=peer", "--loglevel=error"];
  const installed = await capture("npm", ["install", ...quietly, ...wanted, "supabase@latest"], {
    cwd: folder,
  });
  if (installed.code !== 0) throw new Error(`npm could not install them:\n${installed.stderr.trim()}`);
  const ours = join(root, "node_modules");
  const theirs = join(folder, "node_modules");
  const beside = join(cli, "..", "..");
  const compared: Comparison[] = CLIENTS.map((client) => ({
    name: client.name,
    here: versionOf(ours, client.name),
    there: versionOf(theirs, client.name),
    added: moreThan(sentBy(client, join(ours, client.name)), sentBy(client, join(theirs, client.name))),
  }));
  const keysIn = (modules: string) =>
    sampleOf(JSON.parse(readFileSync(join(modules, SCHEMA), "utf8")) as Schema).keys;
  compared.push({
    name: "supabase",
    here: VERSION,
    there: versionOf(theirs, "supabase"),
    added: moreThan({ keys: keysIn(beside) }, { keys: keysIn(theirs) }),
  });
  console.log(values.json ? JSON.stringify(compared, null, 2) : compared.map(textOf).join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function versionOf(modules: string, name: string): string {
  const path = join(modules, name, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : "none";
}

function moreThan(before: Names, after: Names): Names {
  const added = Object.entries(after).map(([kind, names]) => [
    kind,
    names.filter((name) => !before[kind as keyof Names]?.includes(name)),
  ]);
  return Object.fromEntries(added.filter(([, names]) => names?.length));
}

function textOf({ name, here, there, added }: Comparison): string {
  const kinds = Object.entries(added).map(([kind, names]) => `  ${kind}: ${names.join(", ")}`);
  const versions = here === there ? here : `${here}, there ${there}`;
  return [`${name} ${versions}${kinds.length === 0 ? ": nothing more" : ""}`, ...kinds].join("\n");
}
