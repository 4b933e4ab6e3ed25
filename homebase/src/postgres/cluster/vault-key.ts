/** Owns the file that Vault's secrets are encrypted with: the server's, so that a dump does not hold it. */
import { randomBytes } from "node:crypto";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerUser } from "./user.ts";

const BYTES = 32;

export function vaultKeyPath(folder: string): string {
  return join(folder, "homebase_vault.key");
}

/** Writes a new key. What was encrypted with another one cannot be read with it. */
export function makeVaultKey(folder: string, user: ServerUser | undefined): void {
  const path = vaultKeyPath(folder);
  writeFileSync(path, randomBytes(BYTES), { mode: 0o600 });
  if (user) chownSync(path, user.uid, user.gid);
}

/** Whether the key is there and whole. */
export function vaultKeyState(folder: string): "whole" | "missing" | "damaged" {
  const found = statSync(vaultKeyPath(folder), { throwIfNoEntry: false });
  if (!found) return "missing";
  return found.isFile() && found.size === BYTES ? "whole" : "damaged";
}
