/** Owns `homebase doctor --write`: the plan of a repair in words, the question before it, and what was done. */
import { basename } from "node:path";
import type { Config } from "../../../config/config.ts";
import { type Move, movesText } from "../../../postgres/files/errors.ts";
import { summaryOf } from "../../../tools/folder-summary.ts";
import { carryOut } from "../../../tools/repair/carry-out.ts";
import { planRepair, type RepairPlan } from "../../../tools/repair/repair-plan.ts";
import { withTemporaryCluster } from "../../../tools/temporary.ts";
import { asking, CommandError, endProgress, progress } from "../../kit/terminal.ts";
import { refuseUncommitted } from "./committed.ts";

/** What a repair was going to do, and what it has done. */
export interface Repair {
  plan: {
    writes: RepairPlan["writes"];
    renames: RepairPlan["renames"];
    /** By file, the lines that move. */
    moves: { path: string; moves: readonly Move[] }[];
    /** How many files fail before it, and what is wrong after it, in a few lines. */
    failing: number;
    left: string[];
  };
  done: string[];
}

export interface Asking {
  yes: boolean;
  json: boolean;
}

/**
 * Repairs what can be repaired. The plan and what was done are printed, as JSON only where the repair ends early.
 * @throws CommandError where nobody agrees, or git could not undo it
 */
export async function repair(config: Config, { yes, json }: Asking): Promise<Repair> {
  if (!config.db.migrations.enabled)
    throw new CommandError(
      `[db.migrations] enabled is false in supabase/${config.file}: there is nothing to repair.`,
    );
  refuseUncommitted(config);
  const planned = await withTemporaryCluster(config, (cluster) =>
    planRepair(cluster, config, (failing) => {
      if (!json) progress(`Looking for a repair: ${failing} ${failing === 1 ? "file fails" : "files fail"}`);
    }),
  ).finally(endProgress);
  const { writes, renames, failing, left } = planned;
  const moves = planned.reorders.map((one) => ({ path: one.path, moves: one.moves }));
  const done: string[] = [];
  const outcome: Repair = { plan: { writes, renames, moves, failing, left: summaryOf(left) }, done };
  if (!json) process.stdout.write(`${planText(outcome.plan)}\n`);
  if (writes.length + renames.length + moves.length === 0) return outcome;
  try {
    if (!yes) await agree(json);
    carryOut(config, planned, (step) => {
      done.push(step);
      if (!json) process.stdout.write(`  ${step}\n`);
    });
  } catch (error) {
    if (json) process.stdout.write(`${JSON.stringify({ repair: outcome }, null, 2)}\n`);
    throw error;
  }
  return outcome;
}

async function agree(json: boolean): Promise<void> {
  if (json || !process.stdin.isTTY) {
    throw new CommandError("There is no terminal to ask for confirmation: add --yes. Nothing was changed.");
  }
  if (!(await asking((ask) => ask("Change the files like this?"))))
    throw new CommandError("Nothing was changed.");
}

function planText({ writes, renames, moves, failing, left }: Repair["plan"]): string {
  if (writes.length + renames.length + moves.length === 0) return "There is nothing that --write can repair.";
  const lines = ["The repair:"];
  for (const { path, objects, copyOf } of writes) {
    if (copyOf !== undefined) lines.push(`  copy ${copyOf} to ${path}: it makes what migrations use`);
    else
      lines.push(
        `  write ${path}, guessed from the statements that use it: ${objects?.join(", ")}`,
        "    It has only what statements name. The real objects: homebase db pull --db-url URL",
      );
  }
  for (const one of moves) lines.push(`  in ${one.path} move ${movesText(one.moves)}`);
  for (const { from, to, why } of renames) lines.push(`  rename ${from} to ${basename(to)}: ${why}`);
  if (renames.length > 0) {
    lines.push(
      "    A database that has run a renamed file knows its old version: homebase reset, or supabase migration repair",
    );
  }
  if (failing === 0) lines.push("Every file can be applied; functions use what is written.");
  else
    lines.push(
      left.length === 0
        ? `Then every file can be applied; ${failing} ${failing === 1 ? "fails" : "fail"} now.`
        : `Then this is left:${left.map((line) => `\n  ${line}`).join("")}`,
    );
  return lines.join("\n");
}
