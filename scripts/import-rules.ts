/**
 * Owns the directions of imports: which folder may import which, defined once as a list of layers, and the
 * check that the code follows them without circles. `npm test -- lint` runs it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseSync } from "vite";
import { exitWithHelp, root } from "./process.ts";

/**
 * From the top layer down. A folder imports from the layers below its own, and from itself; never from above,
 * and never from another folder of its layer. A folder without a layer is an error; a file next to the
 * folders may be listed like one, and is otherwise an entry above all of them. docs/architecture.md has the two lines of the products.
 */
export const layers = `
homebase/src: bin.ts > cli > stack testing > developer tools > backend > gateway > catalog explain > typegen > rest auth storage realtime functions mail background diff > service-context.ts plpgsql > http > postgres > tokens config > core
homebase/src/rest: admin > service.ts > respond > execute > sql > plan > request > grammar > openapi > schema > postgrest-settings.ts > jwt-secret.ts metrics.ts postgres-error.ts role-claim.ts > errors.ts > fuzzy.ts header-text.ts postgrest-version.ts
homebase/src/auth: service.ts > routes.ts > compose.ts > endpoints > features.ts factors > sessions > mail > providers > stand-in > users > kit
homebase/src/storage: service.ts > resumable > buckets render > objects > dependencies.ts > disk > kit
homebase/src/realtime: service.ts > endpoints > socket > channel > hub > changes > kit
homebase/src/postgres: upgrades > cluster > migrations.ts > files > extensions > trouble.ts job-login.ts server-sessions.ts > database.ts > transaction.ts notifications.ts pipeline > address.ts > connected.ts > scram-client.ts > statements guarded-logins.ts origin.ts quoting.ts while-awaited.ts
homebase/src/functions: service.ts > proxy.ts supervisor.ts > environment.ts worker.ts > connections.ts modules verify-jwt.ts > project-functions.ts deno.ts errors.ts process-usage.ts response-reader.ts watchdog.ts worker-log.ts > runtime
homebase/src/cli: main.ts > command-list.ts > commands > wing.ts > kit
homebase/src/cli/kit: project-report.ts > group.ts target.ts > running.ts > control.ts errors.ts > options.ts table.ts > git.ts restarts.ts state.ts terminal.ts status-variables.ts own-version.ts
homebase/src/explain: index.ts > sample > explain-request.ts > outcome.ts > view-writes.ts > function-call.ts views.ts > again.ts broadcast.ts > channel-join.ts event.ts storage.ts written.ts > coverage rules.ts > data.ts sentences.ts text.ts > hidden.ts > clauses.ts explanation.ts > writes.ts > why.ts > reasons.ts > look.ts > key-verdicts.ts recorded.ts plain.ts scope.ts > words.ts > asked-tables.ts request-values.ts reason-tree.ts verdicts.ts > judge.ts > database > trace.ts > expression > untested.ts
homebase/wings/hosted: index.ts > wing.ts > hosted-command.ts > start.ts > supabase-cli.ts > management.ts > calls > branch-projects.ts > login-role.ts migrations.ts > stand-in.ts > logs > auth-advice.ts auth-fields.ts project-keys.ts database uploaded-functions.ts
homebase/wings/deploy: index.ts > wing.ts > deploy-command.ts > later-requests.ts stand-in.ts words.ts > deploy.ts > steps > lint settings target
homebase/src/gateway: gateway.ts > api-key.ts > cors.ts routes.ts foreign-secrets.ts
homebase/src/backend: backend.ts > services.ts > inbox.ts create-keys.ts wing.ts
homebase/src/developer: developer-stack.ts > stack-reset.ts stack-restore.ts required-ports.ts > stack-wing.ts port-choice.ts port-wait.ts migration-watch.ts project-database.ts > branch-of-state.ts data-lock.ts > state-swap.ts lockouts.ts log-file.ts notices.ts ports.ts stack-databases.ts storage-folder.ts unprotected-tables.ts unsafe-objects.ts missing-vault-key.ts
homebase/src/diff: project-diff.ts > schema-diff.ts > compared-database.ts > column-changes.ts column-order.ts delta-rules.ts diff-impossible.ts extension-filter.ts identity-grants.ts implied-objects.ts inherited-tables.ts moved-tables.ts not-stated.ts object-notes.ts other-kinds.ts owner-changes.ts partition-indexes.ts partition-order.ts renames.ts reprinted-definitions.ts table-settings.ts undeclared-publication.ts unpopulated-views.ts > foreign-options.ts own-schemas.ts
homebase/src/tools: repair > checks history made-test.ts mutation.ts > copy dump inspect schema-steps.ts tap > asked.ts > migration-check.ts used-in-bodies.ts > command-connection.ts statement-moves.ts platform-schemas.ts shadow.ts temporary.ts token-of.ts decided-by-tests.ts
homebase/src/catalog: generators.ts query.ts resources > catalogue-endpoint.ts > body.ts session.ts > errors.ts postgres-meta-version.ts
homebase/wings/console: build.ts wing.ts > console-command.ts page > server
homebase/wings/mcp: wing.ts > mcp-command.ts service.ts > tools.ts > database-tools.ts development-tools.ts request-tools.ts > tool.ts > access.ts marked.ts protocol.ts read-only.ts > definers.ts reader-rights.ts > sql-refused.ts
web/src: app > features > ui > lib
web/src/features: deciding > hosting time-options place-options matches day chat > table photos invites standing > outbox > plans messages > places circles notifications > calendar drafts map people session security mail push usual-times pictures
`.trim();

/**
 * The rooms of the core that each wing may import: by their folders or files below `homebase/src`. A wing imports no other
 * wing. The list may shrink.
 */
export const wingRooms = `
console: catalog cli/kit/options.ts cli/kit/running.ts cli/kit/terminal.ts config/config.ts config/project-paths.ts config/schema.ts core developer/stack-wing.ts explain/database explain/expression explain/index.ts functions/project-functions.ts functions/service.ts http mail postgres/cluster/state-folder.ts postgres/cluster/system-user.ts postgres/connected.ts postgres/extensions/file-statements.ts postgres/extensions/installed.ts postgres/files postgres/moment.ts postgres/quoting.ts postgres/statements postgres/while-awaited.ts realtime/service.ts rest/execute/as.ts rest/fuzzy.ts rest/header-text.ts rest/service.ts tokens tools/asked.ts tools/checks tools/made-test.ts tools/platform-schemas.ts tools/token-of.ts tools/decided-by-tests.ts tools/why-request.ts
copy: cli/kit/options.ts cli/kit/target.ts cli/kit/terminal.ts config/config.ts config/project-paths.ts core postgres/cluster postgres/files postgres/quoting.ts tools/command-connection.ts
deploy: diff/schema-diff.ts cli/kit/control.ts cli/kit/options.ts cli/kit/state.ts cli/kit/terminal.ts config/config.ts config/dotenv.ts config/hosted core functions http postgres/cluster postgres/files postgres/migrations.ts postgres/statements
hosted: auth/mail backend/backend.ts backend/inbox.ts developer/ports.ts backend/wing.ts catalog cli/kit/options.ts cli/kit/restarts.ts cli/kit/terminal.ts config/config.ts config/hosted config/schema.ts core functions http postgres/cluster postgres/database.ts postgres/files postgres/quoting.ts postgres/statements postgres/transaction.ts service-context.ts tokens tools/checks
inspect: cli/kit/group.ts cli/kit/options.ts cli/kit/table.ts cli/kit/target.ts config/project-paths.ts core postgres/quoting.ts tools/command-connection.ts tools/platform-schemas.ts
mcp: backend/backend.ts backend/inbox.ts developer/log-file.ts developer/stack-wing.ts catalog cli/kit/options.ts cli/kit/running.ts config/config.ts core explain/index.ts http mail postgres/connected.ts postgres/database.ts postgres/files tokens tools/asked.ts tools/checks tools/made-test.ts tools/decided-by-tests.ts tools/why-request.ts typegen
meta: catalog core http postgres/trouble.ts service-context.ts
oauth-server: auth/kit auth/sessions auth/users core http
policies: cli/kit/group.ts cli/kit/options.ts cli/kit/terminal.ts config/config.ts core explain/coverage explain/database explain/expression explain/index.ts explain/text.ts explain/untested.ts postgres/cluster postgres/quoting.ts rest/schema tools/tap tools/temporary.ts tools/decided-by-tests.ts
rest-server: cli/kit/options.ts cli/kit/restarts.ts cli/kit/terminal.ts core http postgres/address.ts postgres/connected.ts postgres/notifications.ts postgres/pipeline rest/admin rest/errors.ts rest/metrics.ts rest/postgres-error.ts rest/schema rest/service.ts rest/postgrest-settings.ts rest/postgrest-version.ts
s3: core http service-context.ts storage/buckets storage/dependencies.ts storage/disk storage/kit storage/objects
saml: auth/kit auth/sessions auth/stand-in auth/users config/config.ts config/schema.ts core http
snapshots: cli/kit/control.ts cli/kit/errors.ts cli/kit/group.ts cli/kit/options.ts cli/kit/state.ts cli/kit/table.ts cli/kit/terminal.ts config/config.ts core developer/branch-of-state.ts developer/data-lock.ts developer/developer-stack.ts developer/stack-databases.ts developer/stack-wing.ts developer/state-swap.ts postgres/cluster postgres/extensions/classes.ts postgres/extensions/installed.ts postgres/extensions/system.ts postgres/upgrades/apply.ts
vectors: core http service-context.ts storage/dependencies.ts storage/kit
wallets: auth/kit auth/sessions auth/users http
`.trim();

const roomsOfWings = new Map(
  wingRooms.split("\n").map((line) => {
    const [name = "", rooms = ""] = line.split(": ");
    return [name, rooms.split(" ")];
  }),
);

/** What hands the list of wings down, and so may import it; the core is complete without it. */
export const WING_ENTRIES = [
  "homebase/src/bin.ts",
  "homebase/src/stack/index.ts",
  "homebase/src/testing/public.ts",
  "homebase/wings/hosted/index.ts",
];
const WING_LIST = "homebase/wings/index.ts";

export const floors: Record<string, readonly (readonly string[])[]> = Object.fromEntries(
  layers.split("\n").map((line) => {
    const [folder = "", rows = ""] = line.split(": ");
    return [folder, rows.split(" > ").map((row) => row.split(" "))];
  }),
);

/**
 * Inside each feature of the app, from the top down. Other files of a feature stand between `components` and the rest as
 * they like, but import no component.
 */
export const featureFloors = ["components", "realtime", "mutations", "queries", "domain", "schema", "words"];

/** The parts of the repository, and which other parts each may import. All may import installed packages. */
export const parts: Record<string, readonly string[]> = {
  "homebase/src": [],
  "homebase/wings": ["homebase/src"],
  "supabase/functions": [],
  // Pure modules that both the app and the functions use; the only ones they share.
  "web/src": ["supabase/functions/_shared"],
};

/** An import inside the repository; both paths are relative to its root. */
export interface Import {
  from: string;
  to: string;
}

/** The error of an import, in a sentence; undefined when it is allowed. */
export function refusal({ from, to }: Import): string | undefined {
  if (WING_ENTRIES.includes(from) && to === WING_LIST) return undefined;
  const part = Object.keys(parts).find((each) => isIn(from, each));
  if (part && !isIn(to, part) && !parts[part]?.some((each) => isIn(to, each))) {
    return `${from} imports ${to}: ${part} imports nothing of ${dirname(to)}.`;
  }
  for (const [base, rows] of Object.entries(floors)) {
    if (!isIn(from, base) || !isIn(to, base)) continue;
    const [here, there] = [roomOf(from, base, rows), roomOf(to, base, rows)];
    if (here === undefined || here === there) continue;
    const [floor, below] = [floorOf(here, rows), there === undefined ? -1 : floorOf(there, rows)];
    if (floor < 0) return `${base}/${here} stands on no floor: name it in scripts/import-rules.ts.`;
    if (there !== undefined && below < 0) {
      return `${base}/${there} stands on no floor: name it in scripts/import-rules.ts.`;
    }
    if (below <= floor) return `${from} imports ${to}: ${here} stands below or beside ${there ?? base}.`;
  }
  return wingRefusal({ from, to }) ?? pageRefusal({ from, to }) ?? featureRefusal({ from, to });
}

/** Why a file of a wing may not import another one. */
function wingRefusal({ from, to }: Import): string | undefined {
  const [, name = "", own] = WING_FILE.exec(from) ?? [];
  if (!name || !own) return undefined;
  const listed = roomsOfWings.get(name);
  if (!listed) return `homebase/wings/${name} is not among the wings: name it in scripts/import-rules.ts.`;
  const core = "homebase/src/";
  if (to.startsWith(core)) {
    const room = to.slice(core.length);
    if (room === "cli/wing.ts" || listed.some((each) => room === each || room.startsWith(`${each}/`)))
      return undefined;
    return `${from} imports ${to}: the wing ${name} may not import this room of the core.`;
  }
  return to.startsWith(`homebase/wings/${name}/`)
    ? undefined
    : `${from} imports ${to}: it is not in its wing.`;
}

const WING_FILE = /^homebase\/wings\/([^/]+)\/(.+)$/;

/** Why a wing's page, which runs in a browser, may not import a file of the stack. */
function pageRefusal({ from, to }: Import): string | undefined {
  const [, wing] = /^(homebase\/wings\/[^/]+)\/page\//.exec(from) ?? [];
  if (wing === undefined || to.startsWith(`${wing}/page/`) || to === `${wing}/server/api.ts`)
    return undefined;
  return `${from} imports ${to}: a page imports only the types of its server/api.ts.`;
}

/** Why a file of a feature may not import another one of it. */
function featureRefusal({ from, to }: Import): string | undefined {
  const [, here, own = ""] = FEATURE_FILE.exec(from) ?? [];
  const [, there, other = ""] = FEATURE_FILE.exec(to) ?? [];
  if (here === undefined || here !== there || own === other) return undefined;
  const [floor, below] = [featureFloors.indexOf(own), featureFloors.indexOf(other)];
  const up = below === 0 || (floor >= 0 && below >= 0 && below < floor);
  return up ? `${from} imports ${to}: in a feature ${own} stands below ${other}.` : undefined;
}

/** The feature of a file, and its folder or name there. */
const FEATURE_FILE = /^web\/src\/features\/([^/]+)\/([^/.]+)/;

/** Circular imports between files, each circle once; type imports count too. */
export function circles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  // Tarjan's strongly connected components.
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    let low = own;
    stack.push(file);
    for (const target of targets.get(file) ?? []) {
      if (target === file) continue;
      if (!index.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, index.get(target) ?? own);
    }
    lowest.set(file, low);
    if (low === own) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) found.push(component.sort());
    }
    return low;
  };
  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return found;
}

/** The imports between the repository's files without tests, including untracked files that git does not ignore. */
export function readImports(): Import[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && Object.keys(parts).some((part) => isIn(file, part)))
    .filter(
      (file) => existsSync(join(root, file)) && !/^homebase\/wings\/(?:testing\.ts|[^/]+\/test\/)/.test(file),
    )
    .flatMap((file) => importsOf(file, readFileSync(join(root, file), "utf8")));
}

/** The relative imports of one file. */
export function importsOf(file: string, code: string): Import[] {
  const { module, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest }) => moduleRequest?.value),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      code.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, ""),
    ),
  ];
  return [...new Set(specifiers)]
    .filter((specifier) => specifier?.startsWith("."))
    .map((specifier) => ({ from: file, to: posix.join(posix.dirname(file), String(specifier)) }));
}

function isIn(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`);
}

/**
 * The folder in `base` that contains a file, or the file itself if it has a layer; undefined for an entry.
 */
function roomOf(file: string, base: string, rows: readonly (readonly string[])[]): string | undefined {
  const [first = "", ...rest] = file.slice(base.length + 1).split("/");
  return rest.length > 0 || floorOf(first, rows) >= 0 ? first : undefined;
}

function floorOf(folder: string, rows: readonly (readonly string[])[]): number {
  return rows.findIndex((row) => row.includes(folder));
}

if (import.meta.main) {
  if (process.argv.includes("--help"))
    exitWithHelp("Usage: npm test -- lint\n\nIts second half: checks which folder imports which.");
  const imports = readImports();
  const complaints = [
    ...imports.map(refusal).filter((complaint) => complaint !== undefined),
    ...circles(imports).map((circle) => `These files import each other in a circle: ${circle.join(", ")}.`),
  ];
  for (const complaint of complaints) console.error(complaint);
  console.log(`${imports.length} imports looked at, ${complaints.length} refused.`);
  process.exit(complaints.length === 0 ? 0 : 1);
}
