/** Owns reading which files a git repository tracks, without starting git (git's index-format documentation). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const HEAD_BYTES = 12;
/** Times, device, mode, owner and size of an entry, before its hash. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

/**
 * The tracked paths of a repository, as bytes in latin1: those of its index, and of one that it shares. None where there
 * is no repository. @throws Error for an index that cannot be read
 */
export function trackedPaths(gitFolder: string): string[] {
  if (!existsSync(gitFolder)) return [];
  // A linked worktree has an index of its own, and the settings of its repository.
  const common = join(gitFolder, "commondir");
  const settings = existsSync(common) ? resolve(gitFolder, readFileSync(common, "utf8").trim()) : gitFolder;
  const config = join(settings, "config");
  const sha256 = existsSync(config) && /objectformat\s*=\s*sha256/i.test(readFileSync(config, "latin1"));
  return readdirSync(gitFolder)
    .filter((name) => /^(index|sharedindex\..*)$/.test(name))
    .flatMap((name) => indexPaths(readFileSync(join(gitFolder, name)), sha256 ? 32 : 20));
}

/** The paths of an index, versions 2 to 4. @throws Error for other bytes */
export function indexPaths(bytes: Buffer, hashBytes: number): string[] {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4)
    throw new Error("This is no git index.");
  const paths: string[] = [];
  let at = HEAD_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    const flags = bytes.readUInt16BE(start + STAT_BYTES + hashBytes);
    at += STAT_BYTES + hashBytes + (flags & EXTENDED ? 4 : 2);
    let begin = "";
    if (version === 4) {
      // The path continues the one before, without this many bytes of its end (git's varint.c).
      let byte = bytes.readUInt8(at++);
      let cut = byte & 0x7f;
      while (byte & 0x80) {
        byte = bytes.readUInt8(at++);
        cut = ((cut + 1) << 7) | (byte & 0x7f);
      }
      const before = paths.at(-1) ?? "";
      begin = before.slice(0, before.length - cut);
    }
    const end = bytes.indexOf(0, at);
    paths.push(begin + bytes.toString("latin1", at, end));
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return paths;
}
