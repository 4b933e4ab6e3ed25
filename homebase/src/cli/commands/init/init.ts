/** Owns `homebase init`: creates a `supabase/` folder. Existing files are not changed. */
import { mkdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { configFile } from "../../../config/config-file.ts";
import { findProject, isProject, projectsBelow } from "../../../config/find-project.ts";
import { writeProjectFile } from "../../../config/project-paths.ts";
import { type Command, parseOptions } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";
import { firstFunction } from "./first-function.ts";

export const init: Command = {
  help: `Usage: homebase init [options]

Creates supabase/config.toml, supabase/migrations/ with a first migration, supabase/functions/ with a first function,
and supabase/seed.sql in the working folder. The Supabase CLI reads the same files. A folder that has a project already gets config.toml and .gitignore if
they are missing. Existing files are not changed. A folder in a project or above one, as a monorepo's root, gets a project
of its own only if --workdir names it.

Options:
  --workdir FOLDER   the folder to create supabase/ in (default: this one)
  --json             machine-readable output
  -h, --help         this text

Examples:
  homebase init && homebase start`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    if (values["port-offset"] !== undefined) {
      throw new CommandError("homebase init does not start anything, so it takes no --port-offset.", 2);
    }
    const folder = resolve(values.workdir ?? process.cwd());
    if (values.workdir === undefined) refuseSecondProject(folder);
    mkdirSync(folder, { recursive: true });
    const made: string[] = [];
    const unchanged: string[] = [];
    for (const [path, text] of Object.entries(files(folder, new Date()))) {
      const file = join(folder, "supabase", path);
      try {
        writeProjectFile(folder, file, text, { flag: "wx" });
        made.push(relative(folder, file));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        unchanged.push(relative(folder, file));
      }
    }
    if (values.json) process.stdout.write(`${JSON.stringify({ made, kept: unchanged })}\n`);
    else {
      for (const path of made) process.stdout.write(`Created ${path}\n`);
      for (const path of unchanged) process.stdout.write(`Left ${path} unchanged\n`);
      // By this name npx finds the package whether it is installed here or not.
      process.stdout.write("Start the stack with: npx homebase-stack start\n");
    }
  },
};

/** @throws CommandError for a folder whose commands work on another folder's project, which a new one would hide. */
function refuseSecondProject(folder: string): void {
  if (isProject(folder)) return;
  const found = findProject(folder, {});
  const others = found === folder ? projectsBelow(folder) : [found];
  if (others.length === 0) return;
  const names = others.map((one) => relative(folder, one)).join(", ");
  throw new CommandError(
    `There is ${others.length === 1 ? "a project" : "one project each"} in ${names}. ` +
      `To start it from here: homebase start${others.length === 1 ? "" : " --workdir FOLDER"}. To make one in this folder too: homebase init --workdir .`,
  );
}

/** The files that a project needs, by path below `supabase/`; a new one gets an example migration and a seed too. */
function files(folder: string, now: Date): Record<string, string> {
  const { "config.toml": settings = "", ".gitignore": ignored = "", ...first } = everyFile(folder, now);
  const needed = {
    ...(configFile(join(folder, "supabase")) === "config.toml" ? { "config.toml": settings } : {}),
    ".gitignore": ignored,
  };
  return isProject(folder) ? needed : { ...needed, ...first };
}

function everyFile(folder: string, now: Date): Record<string, string> {
  const stamp = now.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  const id = basename(folder).replace(/[^\w-]+/g, "-") || "app";
  return {
    "config.toml": `# Read by Homebase and by the Supabase CLI. Keys that are not here have their defaults.
project_id = "${id}"

[api]
port = 54321
# As on new hosted projects, a migration grants what the API's roles may do with a new table.
auto_expose_new_tables = false

[db]
port = 54322
major_version = 17

[local_smtp]
port = 54324

[auth]
# Where links in mails lead: your app.
site_url = "http://127.0.0.1:3000"
`,
    [`migrations/${stamp}_notes.sql`]: `create table public.notes (
  id bigint generated always as identity primary key,
  owner uuid not null default auth.uid() references auth.users on delete cascade,
  body text not null,
  created_at timestamptz not null default now()
);

alter table public.notes enable row level security;

create policy "People see and change their own notes" on public.notes
  for all to authenticated
  using (owner = (select auth.uid()))
  with check (owner = (select auth.uid()));

create index notes_owner on public.notes (owner);

-- Which commands the API's roles may use at all; the policies above choose the rows.
grant select on public.notes to anon;
grant select, insert, update, delete on public.notes to authenticated, service_role;
`,
    "functions/hello/index.ts": firstFunction(54_321, "hello"),
    "seed.sql": "-- Rows of every new database.\n",
    ".gitignore": ".temp\n.branches\n.env\n",
  };
}
