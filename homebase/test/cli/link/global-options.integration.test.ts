/** The list of the Supabase CLI's own help: none of its options of every command is dropped without a word. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { routeOf } from "../../../src/cli/commands/supabase/command-route.ts";
import { LinkedProject } from "./linked-project.ts";

const program = process.env.SUPABASE_CLI;
const missing =
  process.env.SUPABASE_CLI_MISSING || "it is not installed: npm test -- integration installs it";

test("each option of the CLI's help is handed on, said, or goes to the real CLI", (context) => {
  context.skip(!program, `the Supabase CLI: ${missing}`);
  const help = execFileSync(program ?? "", ["status", "--help"], {
    encoding: "utf8",
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  });
  const [, list = ""] = /GLOBAL FLAGS\n(.*?)\n\n/s.exec(help) ?? [];
  const options = [...list.matchAll(/^ +--([a-z-]+)(?:, -\w)?( choice| string| <)?/gm)];
  expect(options.map(([, name]) => name)).toEqual(expect.arrayContaining(["debug", "network-id", "agent"]));
  for (const [, name = "", value] of options) {
    const given = `--${name}`;
    const found = routeOf(["status", given, ...(value === undefined ? [] : ["json"])], { linked: false });
    if (found.to === "real") continue;
    const handedOn = found.args.includes(given.replace("-format", ""));
    expect(handedOn || found.notes.some((note) => note.startsWith(`${given} `)), given).toBe(true);
  }
});

test("what has no effect is said on standard error, once, and the output stays as it is", async () => {
  const linked = new LinkedProject({});
  try {
    linked.link();
    const plain = await linked.run("supabase test new one");
    const said = await linked.run("supabase --debug test new two --network-id net");
    expect(said).toEqual({
      code: 0,
      stdout: plain.stdout.replaceAll("one", "two"),
      stderr:
        "--debug has no effect: what the services log is in homebase logs.\n" +
        "--network-id has no effect: there are no containers, and no network of them.\n",
    });
  } finally {
    await linked.remove();
  }
}, 60_000);
