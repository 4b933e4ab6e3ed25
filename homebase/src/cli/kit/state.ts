/** Owns the paths of a stack's state, log and control socket. */
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { socketsFolder } from "../../core/private-folder.ts";
import { readHolder } from "../../developer/data-lock.ts";
import { refuseUntrusted, stateFolderOf } from "../../postgres/cluster/state-folder.ts";

/**
 * The path of this project's control socket. Short, because the system limits such paths to about 100 bytes.
 */
export function ownControlSocket(config: Config): string {
  const name = createHash("sha256").update(realpathSync(config.projectFolder)).digest("hex").slice(0, 12);
  return join(socketsFolder(), `control-${name}`);
}

/** The running stack's control socket: it may have been started with another temporary folder. @throws UntrustedFolder */
export function controlSocketPath(config: Config): string {
  refuseUntrusted(config.projectFolder);
  return readHolder(config.projectFolder)?.controlSocket ?? ownControlSocket(config);
}

/** @throws UntrustedFolder */
export function stateFolder(config: Config): string {
  refuseUntrusted(config.projectFolder);
  return stateFolderOf(config.projectFolder);
}

export function logPath(config: Config): string {
  return join(stateFolder(config), "logs", "homebase.jsonl");
}
