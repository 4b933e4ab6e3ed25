/** Owns the file with Vault's encryption key. It belongs to the server, so a dump does not include it. */
import { randomBytes } from "node:crypto";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerUser } from "./user.ts";

const BYTES = 32;

export function vaultKeyPath(folder: string): string {
  return join(folder, "homebase_vault.key");
}

/** Writes a new key. Secrets encrypted with another key can no longer be read. */
export function makeVaultKey(folder: string, user: ServerUser | undefined): void {
  const path = vaultKeyPath(folder);
  writeFileSync(path, randomBytes(BYTES), { mode: 0o600 });
  if (user) chownSync(path, user.uid, user.gid);
}

/** Whether the key exists and is complete. */
export function vaultKeyState(folder: string): "whole" | "missing" | "damaged" {
  const found = statSync(vaultKeyPath(folder), { throwIfNoEntry: false });
  if (!found) return "missing";
  return found.isFile() && found.size === BYTES ? "whole" : "damaged";
}
