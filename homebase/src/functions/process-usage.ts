/** Owns what a process uses, as Linux's /proc says it; 0 where the system does not provide it, or it has ended. */
import { readFileSync } from "node:fs";

const PAGE_BYTES = 4_096;
/** Linux measures CPU time in hundredths of a second. */
const TICK_MS = 10;

export function residentMegabytes(pid: number | undefined): number {
  const pages = read(`/proc/${pid}/statm`).split(" ")[1] ?? "0";
  return (Number(pages) * PAGE_BYTES) / 1024 ** 2;
}

/** CPU time so far in milliseconds. */
export function processorTime(pid: number | undefined, of: "process" | "main thread" = "process"): number {
  const stat = read(of === "process" ? `/proc/${pid}/stat` : `/proc/${pid}/task/${pid}/stat`);
  // The name stands in parentheses, and may have spaces.
  const [, , , , , , , , , , , user = "0", system = "0"] = stat.split(") ")[1]?.split(" ") ?? [];
  return (Number(user) + Number(system)) * TICK_MS;
}

function read(path: string): string {
  if (process.platform !== "linux") return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
