/**
 * Owns a process that replaces a project's state, or settles such a replacement, and is killed before its nth change of a
 * name: `node swap-steps.ts replace|settle <project> <n>`. It prints how many there are when it is not killed.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const [what, projectFolder = "", step] = process.argv.slice(2);
let count = 0;
for (const name of ["renameSync", "rmSync"] as const) {
  const original = fs[name] as (...args: unknown[]) => void;
  (fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
    // What is not there is not changed.
    if (name === "rmSync" && !fs.existsSync(String(args[0]))) return;
    count += 1;
    if (count === Number(step)) process.kill(process.pid, "SIGKILL");
    original(...args);
  };
}
syncBuiltinESMExports();

const { StateSwap, settleState } = await import("../../src/developer/state-swap.ts");
if (what === "settle") await settleState(projectFolder);
else {
  const swap = new StateSwap(projectFolder, "test", "before-restore");
  await swap.begin();
  await swap.confirm();
  await swap.keepOld();
}
process.stdout.write(String(count));
