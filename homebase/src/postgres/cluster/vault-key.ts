/**
 * Owns the file with Vault's encryption key. It belongs to the server, so a dump does not include it; it lies
 * beside the data folder, so neither does a copy of the server's files.
 */
import { randomBytes } from "node:crypto";
import { chownSync, copyFileSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerUser } from "./system-user.ts";

const BYTES = 32;

/** The extension reads the same path: the setting data_directory with this ending. */
export function vaultKeyPath(folder: string): string {
  return `${folder}.vault-key`;
}

/** Where earlier versions had it. */
function formerPath(folder: string): string {
  return join(folder, "homebase_vault.key");
}

/**
 * Copies the key of an earlier version to its place. The original stays until the database reads the copy, so that
 * the earlier version can be started again until then.
 */
export function adoptFormerVaultKey(folder: string, user: ServerUser | undefined): void {
  const path = vaultKeyPath(folder);
  if (existsSync(path) || !statSync(formerPath(folder), { throwIfNoEntry: false })?.isFile()) return;
  copyFileSync(formerPath(folder), path);
  if (user) chownSync(path, user.uid, user.gid);
}

/** Removes the key of an earlier version from the data folder. */
export function removeFormerVaultKey(folder: string): void {
  if (existsSync(vaultKeyPath(folder))) rmSync(formerPath(folder), { force: true });
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
