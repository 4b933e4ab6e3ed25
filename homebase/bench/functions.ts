/** Owns the measurement of functions: the first call, which starts a process, warm ones, and reloading. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { denoExecutable } from "../src/functions/deno.ts";
import { treeMemory } from "./boot.ts";
import { CONNECTIONS, Connection, rate, requestText } from "./load.ts";
import type { Target } from "./target.ts";

const WARM_CALLS = 300;

/** Calls the project's function `hello`. Milliseconds. */
export async function functionCalls(target: Target): Promise<{ cold: number[]; warm: number[] }> {
  const call = async () => {
    const began = performance.now();
    const response = await fetch(`${target.url}/functions/v1/hello`, {
      headers: { apikey: target.publishableKey },
    });
    const text = await response.text();
    if (text !== "hello") throw new Error(`The function answered ${response.status} ${text}`);
    return performance.now() - began;
  };
  const cold = [await call()];
  const warm: number[] = [];
  for (let count = 0; count < WARM_CALLS; count += 1) warm.push(await call());
  return { cold, warm: warm.slice(WARM_CALLS / 10) };
}

const RATE_SECONDS = 3;

/** Processes of Deno that a process has started. Linux only. */
export function functionProcesses(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const ppid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return ppid === parent && readlinkSync(`/proc/${name}/exe`).endsWith("/deno");
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Proportional memory in MB of the one function that is warm. */
export function functionMemory(target: Target): number {
  const [worker] = functionProcesses(target.pid);
  if (worker === undefined) throw new Error("No function is warm.");
  return treeMemory(worker);
}

export interface FunctionRates {
  /** Warm calls a second through the stack. */
  through: number;
  /** Requests a second that the stack answers itself (Auth's health): the most that its front lets through. */
  front: number;
  /** The same handler served by Deno alone. */
  bare: number;
  /** Megabytes that the last one holds then. */
  memory: number;
}

/** All three in turn, in the same run. */
export async function functionRates(target: Target): Promise<FunctionRates> {
  const folder = mkdtempSync(join(tmpdir(), "homebase-bench-deno-"));
  const file = join(folder, "bare.ts");
  writeFileSync(
    file,
    'Deno.serve({ port: 0, onListen: ({ port }) => console.log(port) }, () => new Response("hello"));\n',
  );
  const bare = spawn(denoExecutable(), ["run", "--quiet", "--allow-net", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const port = await new Promise<string>((resolve) =>
      bare.stdout.once("data", (data) => resolve(String(data).trim())),
    );
    const headers = { apikey: target.publishableKey };
    return {
      through: await requests(target.url, requestText("GET", "/functions/v1/hello", headers)),
      front: await requests(target.url, requestText("GET", "/auth/v1/health", headers)),
      bare: await requests(`http://127.0.0.1:${port}`, requestText("GET", "/", headers)),
      memory: treeMemory(bare.pid ?? 0),
    };
  } finally {
    bare.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function requests(url: string, text: string): Promise<number> {
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(new URL(url)));
  try {
    return await rate(RATE_SECONDS, (at) => connections[at]?.send(text));
  } finally {
    for (const one of connections) one.close();
  }
}

/** Milliseconds from saving a function's file until a call is answered by the new code. */
export async function reloads(target: Target, project: string, runs = 5): Promise<number[]> {
  const file = join(project, "supabase", "functions", "hello", "index.ts");
  const original = readFileSync(file, "utf8");
  const times: number[] = [];
  const call = async () =>
    (await fetch(`${target.url}/functions/v1/hello`, { headers: { apikey: target.publishableKey } })).text();
  await call();
  for (let run = 0; run < runs; run += 1) {
    writeFileSync(file, `Deno.serve(() => new Response("version ${run}"));\n`);
    const saved = performance.now();
    while ((await call()) !== `version ${run}`);
    times.push(performance.now() - saved);
  }
  writeFileSync(file, original);
  return times;
}
