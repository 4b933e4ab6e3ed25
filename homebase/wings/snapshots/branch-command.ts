/** Owns `homebase snapshot branch`: a state for each git branch, switched by a hook that the user installs. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { control } from "../../src/cli/kit/control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { controlSocketPath } from "../../src/cli/kit/state.ts";
import { CommandError } from "../../src/cli/kit/terminal.ts";
import { safeGit } from "../../src/core/safe-git.ts";
import { statePaths } from "../../src/developer/state-swap.ts";
import type { Switched } from "./branch-states.ts";
import { CopyProgress } from "./tree-copy.ts";

export const branch: Command = {
  help: `Usage: homebase snapshot branch [options]

Keeps a state for each git branch. Brings the data to the branch that is checked out: to the state that it had when it was
left, or, for a branch that has none yet, to a copy of the one that is there. What is left is kept as a snapshot
(branch-NAME). A hook of git does this at each checkout of a branch; in a rebase or bisect, and for a commit without a
branch, nothing is switched. While data and branch differ, no migration is applied.

Options:
  --install          write the hook (.git/hooks/post-checkout), and switch for the first time
  --off              no longer keep states by branch; hook and snapshots stay
${sharedHelp}

Examples:
  homebase snapshot branch --install`,
  run: async (args, wings) => {
    const { values } = parseOptions(args, { install: { type: "boolean" }, off: { type: "boolean" } });
    const config = configFor(values);
    const socket = controlSocketPath(config);
    const say = (result: unknown, text: string) =>
      process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${text}\n`);
    if (values.off) {
      rmSync(statePaths(config.projectFolder).branch, { force: true });
      return void say(
        { outcome: "off" },
        "The data no longer follows the branch. The hook, if any, is yours to remove.",
      );
    }
    if (values.install) installHook(config.projectFolder);
    const held = await control<Switched>(socket, "snapshotBranch");
    const done = held ?? (await (await import("./alone.ts")).switchAlone(config, new CopyProgress(), wings));
    say(done, words(done));
    if ("failed" in done && done.failed)
      throw new CommandError(`The data is switched, but without this:\n${done.failed}`);
    // Without a running stack, its pools have only just begun to close.
    process.exit(0);
  },
};

function words(done: Switched): string {
  const time = `${(done.milliseconds / 1000).toFixed(1)} s`;
  if (done.outcome === "no branch")
    return "No branch is checked out, or a rebase or bisect goes on: the data stays as it is.";
  if (!("from" in done))
    return `The data is that of branch ${done.branch}${done.outcome === "begun" ? " from now on" : ""}.`;
  const applied = done.applied.length > 0 ? ` Applied migrations: ${done.applied.join(", ")}` : "";
  return done.outcome === "forked"
    ? `Branch ${done.branch} goes on with a copy of the data of ${done.from}, which is kept (${time}).${applied}`
    : `The data is that of branch ${done.branch} again; that of ${done.from} is kept (${time}).${applied}`;
}

/** @throws CommandError where there is a hook, or hooks are another program's */
function installHook(projectFolder: string): void {
  const git = (...args: string[]) => safeGit(projectFolder, ...args).trim();
  let top: string;
  let path: string;
  try {
    top = git("rev-parse", "--show-toplevel");
    path = resolve(projectFolder, git("rev-parse", "--git-path", "hooks/post-checkout"));
  } catch {
    throw new CommandError(`${projectFolder} is in no git repository.`);
  }
  const text = hookText(relative(top, projectFolder).replaceAll("\\", "/"));
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  const lines = text.split("\n").slice(1).join("\n");
  if (existsSync(path)) throw new CommandError(`There is a hook already. Add to ${path}:\n${lines}`);
  if (configuredHooks(git))
    throw new CommandError(
      `Your hooks are another program's (core.hooksPath). Give it this post-checkout:\n${lines}`,
    );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx" });
  chmodSync(path, 0o755);
}

function configuredHooks(git: (...args: string[]) => string): boolean {
  try {
    return git("config", "core.hooksPath") !== "";
  } catch {
    return false;
  }
}

/** A hook of git gets 1 as its third argument for a checkout of a branch, and 0 for one of files. */
function hookText(folder: string): string {
  const enter = folder === "" ? "" : `cd '${folder.replaceAll("'", "'\\''")}' || exit 0\n`;
  return `#!/bin/sh\n# Homebase: the local data goes with the branch.\n[ "$3" = 1 ] || exit 0\n${enter}npx --no-install homebase snapshot branch\n`;
}
