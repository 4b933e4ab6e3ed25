/** Owns the measurement of the package as a user has it: its size, and what its commands take. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Installed, weigh } from "../build/installed.ts";
import { type Command, forgetData, type Started, start } from "./boot.ts";
import { type Figure, figure } from "./figures.ts";

const RUNS = 5;
/** Aims, in milliseconds. */
const fromNothing = { value: 1_200, less: true };
const whenWarm = { value: 350, less: true };

/** Builds, packs and installs the package in an empty folder, and measures it there. */
export async function benchInstall(project: string): Promise<Figure[]> {
  const installed = await Installed.make([]);
  try {
    const executable = join(installed.folder, "node_modules", ".bin", "homebase");
    const command: Command = { words: [executable], environment: installed.environment };
    // The first start fetches Node and Deno, and fills the compile cache: what later ones find.
    forgetData(project);
    await (await start(project, command)).stop();
    const fetched = await weigh(join(installed.folder, "cache"));

    const help: number[] = [];
    const empty: number[] = [];
    const nothing: Started[] = [];
    const warm: Started[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      help.push(timeOf(executable, ["--help"], installed.environment));
      empty.push(timeOf("node", ["--eval", "0"], installed.environment));
      forgetData(project);
      for (const times of [nothing, warm]) {
        const started = await start(project, command);
        times.push(started);
        await started.stop();
      }
    }
    return [
      figure("package installed", "MB", [installed.megabytes]),
      figure("with the Node and Deno that its first start fetches", "MB", [installed.megabytes + fetched]),
      figure("homebase --help", "ms", help, undefined, {
        name: "an empty script of the system's Node",
        values: empty,
      }),
      figure(
        "installed: ready, from nothing",
        "ms",
        nothing.map(({ ready }) => ready),
        fromNothing,
      ),
      figure(
        "installed: ready, warm",
        "ms",
        warm.map(({ ready }) => ready),
        whenWarm,
      ),
      figure(
        "installed: every service answering, from nothing",
        "ms",
        nothing.map(({ milliseconds }) => milliseconds),
        fromNothing,
      ),
      figure(
        "installed: every service answering, warm",
        "ms",
        warm.map(({ milliseconds }) => milliseconds),
        whenWarm,
      ),
    ];
  } finally {
    await installed.remove();
  }
}

function timeOf(program: string, args: string[], env: NodeJS.ProcessEnv): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(program, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
  return performance.now() - began;
}
