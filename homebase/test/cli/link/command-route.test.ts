/** Where each command line of the Supabase CLI is run: no line about this machine reaches a hosted project, or the reverse. */
import { expect, test } from "vitest";
import { routeOf } from "../../../src/cli/commands/supabase/command-route.ts";

const route = (line: string, linked = false) => routeOf(line.split(" ").filter(Boolean), { linked });

/** Lines that Homebase runs in every folder, with the words that its command gets. */
const HERE: readonly (readonly [line: string, command: string, args: string])[] = [
  ["start", "start", ""],
  ["start -x studio,imgproxy", "start", "-x studio,imgproxy"],
  ["start --ignore-health-check --debug", "start", ""],
  ["--debug start", "start", ""],
  ["stop --no-backup --all", "stop", "--no-backup --all"],
  ["stop --project-id app", "stop", "--project-id app"],
  ["stop --project-id=app", "stop", "--project-id=app"],
  ["status -o env --override-name api.url=URL", "status", "--override-name api.url=URL --output env"],
  ["-o json status", "status", "--output json"],
  ["status --output=yaml", "status", "--output yaml"],
  ["status -o pretty", "status", ""],
  ["--workdir apps/web status", "status", "--workdir apps/web"],
  ["status --workdir=apps/web", "status", "--workdir apps/web"],
  ["db start", "db start", ""],
  ["db reset --yes --no-seed --local", "db reset", "--no-seed --local --yes"],
  ["db reset --version 20260101000000", "db reset", "--version 20260101000000"],
  ["db diff -f name -s public --local=true", "db diff", "-f name -s public --local"],
  ["db diff --use-migra -f name", "db diff", "-f name"],
  ["db diff --use-pg-delta --network-id net", "db diff", ""],
  ["db dump --local --data-only -f seed.sql", "db dump", "--local --data-only -f seed.sql"],
  ["db lint --level warning", "db lint", "--level warning"],
  ["gen types typescript --local --schema a,b", "gen types", "typescript --local --schema a,b"],
  ["gen types --lang=typescript --local", "gen types", "--lang=typescript --local"],
  ["gen types --lang typescript --local", "gen types", "--lang typescript --local"],
  ["test db supabase/tests/a.sql", "test db", "supabase/tests/a.sql"],
  ["db test", "test db", ""],
  ["test new name", "test new", "name"],
  ["migration new name", "migration new", "name"],
  ["migrations up --include-all", "migration up", "--include-all"],
  ["migration squash --version 1", "migration squash", "--version 1"],
  ["migration list --local", "migration list", "--local"],
  ["migration repair 1 --status applied --local", "migration repair", "1 --status applied --local"],
  ["functions new hello", "functions new", "hello"],
  ["functions serve hello", "functions serve", "hello"],
  ["seed buckets --local", "seed buckets", "--local"],
  ["db reset --help", "db reset", "--help"],
];

test.each(HERE)("supabase %s is run here, linked or not", (line, command, args) => {
  for (const linked of [false, true])
    expect(route(line, linked)).toMatchObject({
      to: "homebase",
      command,
      args: args.split(" ").filter(Boolean),
    });
});

test.each(["gen types", "gen types typescript", "gen types --schema public", "seed buckets"])(
  "supabase %s is run here unless a project is linked",
  (line) => {
    expect(route(line).to).toBe("homebase");
    expect(route(line, true).to).toBe("real");
  },
);

/** Every way to name what is not on this machine. */
const NAMING = [
  "--linked",
  "--linked=true",
  "--linked=false",
  "--remote",
  "--remote=abcdefghijklmnopqrst",
  "--remote=postgresql://db.example.com/postgres",
  "--db-url postgresql://db.example.com/postgres",
  "--db-url=postgresql://db.example.com/postgres",
  "--project-ref abcdefghijklmnopqrst",
  "--project-ref=abcdefghijklmnopqrst",
  "--branch preview",
  "--password secret",
  "--password=secret",
  "-p secret",
  "-psecret",
  "--profile staging",
  "--from remote",
  "--to=linked",
  "--local=false",
];
const COMMANDS = [...new Set(HERE.map(([, command]) => command))];

test.each(COMMANDS)(
  "supabase %s goes to the real CLI when it names what is not on this machine",
  (command) => {
    for (const naming of NAMING)
      for (const line of [`${command} ${naming}`, `${command} --local ${naming}`, `${naming} ${command}`])
        expect(route(line), line).toMatchObject({ to: "real" });
    if (command !== "stop")
      for (const naming of ["--project-id abc", "--project-id=abc"])
        expect(route(`${command} ${naming}`), naming).toMatchObject({ to: "real" });
  },
);

test.each([
  "",
  "--version",
  "--help",
  "init",
  "init --force",
  "login",
  "logout",
  "link",
  "unlink",
  "services",
  "projects list",
  "secrets set A=b",
  "functions deploy hello",
  "functions delete hello",
  "functions list",
  "functions download hello",
  "db push",
  "db push --local",
  "db pull",
  "db pull --local",
  "db remote commit",
  "db query --local",
  "db advisors --local",
  "db schema declarative sync",
  "migration down --local",
  "inspect db locks --local",
  "branches list",
  "config push",
  "bootstrap",
  "pull",
  "whoami",
  "storage ls --local",
  "completion bash",
  "constructor",
  "gen keys",
  "gen types go --local",
  "gen types --lang=swift --local",
  "gen types --lang python --local",
  "migration list -o json --local",
  "db diff --output file.sql",
  // Their default is the linked project in versions 1 and 2.
  "db dump",
  "db dump --data-only -f seed.sql",
  "migration list",
  "migration repair 1 --status applied",
  "migration fetch",
])("supabase %s always goes to the real CLI", (line) => {
  for (const linked of [false, true]) expect(route(line, linked)).toMatchObject({ to: "real" });
});

test("an option without an effect here is said by name", () => {
  expect(route("db diff --use-migra")).toMatchObject({
    notes: ["--use-migra has no effect: Homebase compares with one engine, pg-delta."],
  });
});
