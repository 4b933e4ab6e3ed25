/**
 * Owns the note that a running stack leaves in `.homebase/`: who runs it and how to reach its control
 * socket. What it says is believed only when the socket answers.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/config.ts";

/** What a running stack says of itself. */
export interface StackState {
  pid: number;
  startedAt: string;
  controlSocket: string;
}

const FILE = "state.json";

/** Path of the control socket of a project. Short, as the system limits such paths to about 100 bytes. */
export function controlSocketPath(projectFolder: string): string {
  const name = createHash("sha256").update(projectFolder).digest("hex").slice(0, 12);
  return join(tmpdir(), `homebase-${name}.sock`);
}

export function stateFolder(config: Config): string {
  return join(config.projectFolder, ".homebase");
}

export function logPath(config: Config): string {
  return join(stateFolder(config), "logs", "homebase.jsonl");
}

export function writeState(config: Config, state: StackState): void {
  mkdirSync(stateFolder(config), { recursive: true });
  writeFileSync(join(stateFolder(config), FILE), `${JSON.stringify(state, null, 2)}\n`);
}

export function readState(config: Config): StackState | undefined {
  try {
    return JSON.parse(readFileSync(join(stateFolder(config), FILE), "utf8")) as StackState;
  } catch {
    return undefined;
  }
}

export function removeState(config: Config): void {
  rmSync(join(stateFolder(config), FILE), { force: true });
}
