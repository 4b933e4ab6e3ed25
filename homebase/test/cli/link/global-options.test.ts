/** The options that every command of the Supabase CLI has, flag by flag: done, handed on, or said. */
import { expect, test } from "vitest";
import { routeOf } from "../../../src/cli/commands/supabase/command-route.ts";

const route = (line: string) => routeOf(line.split(" "), { linked: false });

/** Those of versions 1 to 3 without an effect here, with the sentence. */
const SAID: readonly (readonly [option: string, sentence: string])[] = [
  ["--debug", "--debug has no effect: what the services log is in homebase logs."],
  ["--debug=true", "--debug has no effect: what the services log is in homebase logs."],
  ["--experimental", "--experimental has no effect: every command of Homebase works without it."],
  ["--create-ticket", "--create-ticket has no effect: an error of Homebase is not for Supabase's support."],
  ["--network-id net", "--network-id has no effect: there are no containers, and no network of them."],
  ["--network-id=net", "--network-id has no effect: there are no containers, and no network of them."],
  [
    "--dns-resolver https",
    "--dns-resolver has no effect: the stack is reached by the address of this machine.",
  ],
  ["--log-level none", "--log-level has no effect: what the services log is in homebase logs."],
  ["--agent yes", "--agent has no effect: the output is the same for people and for agents."],
  ["--yes", "--yes has no effect: this command asks nothing that yes would answer."],
];
const COMMANDS = [
  "status",
  "start",
  "db diff",
  "db dump --local",
  "gen types",
  "migration up",
  "functions serve",
];

test.each(SAID)("%s is said, before and after the command's words", (option, sentence) => {
  for (const command of COMMANDS)
    for (const line of [`${option} ${command}`, `${command} ${option}`])
      expect(route(line), line).toEqual({ ...route(command), notes: [sentence] });
});

test("several are said one by one", () => {
  expect(route("--debug start --network-id net -x studio")).toMatchObject({
    args: ["-x", "studio"],
    notes: SAID.filter(([option]) => ["--debug", "--network-id net"].includes(option)).map(
      ([, sentence]) => sentence,
    ),
  });
});

test.each(["--debug=false", "--yes=false", "--experimental=false", "--create-ticket=false"])(
  "%s is what a command does anyway",
  (option) => {
    expect(route(`start ${option}`)).toEqual(route("start"));
  },
);

test("--yes and --version are handed on where Homebase's command has them", () => {
  expect(route("--yes db reset --no-seed")).toMatchObject({ args: ["--no-seed", "--yes"], notes: [] });
  expect(route("db reset --version 1")).toMatchObject({ args: ["--version", "1"], notes: [] });
  expect(route("migration squash --version=1")).toMatchObject({ args: ["--version=1"], notes: [] });
});

test("--workdir is handed on, and so is --output where the command has formats", () => {
  for (const option of ["--workdir apps/web", "--workdir=apps/web"])
    expect(route(`${option} start`)).toMatchObject({ args: ["--workdir", "apps/web"], notes: [] });
  for (const option of ["-o env", "--output env", "--output=env", "--output-format env"])
    expect(route(`status ${option}`)).toMatchObject({ args: ["--output", "env"], notes: [] });
  for (const option of ["-o pretty", "--output-format text"])
    expect(route(`migration up ${option}`)).toEqual(route("migration up"));
});

test.each(["--version", "-v", "--wizard", "--completions bash", "--profile staging", "-o csv"])(
  "%s goes with its command to the real CLI",
  (option) => {
    for (const line of [`start ${option}`, `${option} start`])
      expect(route(line), line).toMatchObject({ to: "real" });
  },
);

test("--help is the help of Homebase's command", () => {
  for (const option of ["--help", "-h"])
    expect(route(`db reset ${option}`)).toMatchObject({ to: "homebase", args: [option] });
});
