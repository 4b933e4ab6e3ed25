/**
 * Owns copying folders: by reflink where the file system can, and by hard link where the caller says that a file is never
 * written again. Links inside are refused, not followed: the copy would not have their targets.
 */
import { constants, lstatSync, readdirSync } from "node:fs";
import { chmod, chown, copyFile, link, mkdir, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UserError } from "../../src/core/user-error.ts";

/** Node's threads for files. */
const AT_A_TIME = 4;
/** A file has as many names as the file system allows, on the same disk only. */
const NO_LINK = new Set<unknown>(["EXDEV", "EMLINK", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** What the server beside a copy may write meanwhile. */
const SPARE_BYTES = 32 * 1024 ** 2;

/** A folder that cannot be copied, for what is in it or for want of space. */
export class NotCopied extends UserError {}

export interface CopyRules {
  /** By the path below the folder. */
  leaveOut?(path: string, file: string): boolean;
  /** Whether a file is never written again. */
  share?(path: string): boolean;
}

interface Entry {
  path: string;
  size: number;
  mode: number;
  uid: number;
  gid: number;
}

/** How far copies are. */
export class CopyProgress {
  /** Bytes to copy. */
  total = 0;
  /** Whether the file system copies by reflink; undefined before the first file. */
  reflink: boolean | undefined;
  #done = 0;
  readonly #current = new Set<string>();

  /**
   * Counts files that are about to be copied. A disk that the copy fills would stop the server beside it.
   * @throws NotCopied when there is no room for them
   */
  async expect(bytes: number, from: string, to: string): Promise<void> {
    this.total += bytes;
    this.reflink ??= await canReflink(from, to);
    if (this.reflink) return;
    const { bavail, bsize } = await statfs(dirname(to));
    if (bavail * bsize > bytes + SPARE_BYTES) return;
    throw new NotCopied(
      `The copy takes ${megabytes(bytes)}, and ${megabytes(bavail * bsize)} are free on its disk. Free some space first.`,
    );
  }

  /** Copies a file; its bytes count while they arrive. */
  async copy(from: string, to: string, size: number): Promise<void> {
    this.#current.add(to);
    try {
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      this.#done += size;
    } finally {
      this.#current.delete(to);
    }
  }

  async done(): Promise<number> {
    const sizes = await Promise.all([...this.#current].map((path) => stat(path).catch(() => ({ size: 0 }))));
    return sizes.reduce((sum, { size }) => sum + size, this.#done);
  }
}

/** Bytes of the files in a folder, or of a file; 0 when it does not exist. */
export function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/**
 * Copies a folder, or a file, to a new path. @returns bytes in it, and the paths to sync.
 * @throws NotCopied when there is a link or a device in it
 */
export async function copyTree(
  from: string,
  to: string,
  progress: CopyProgress,
  rules: CopyRules = {},
): Promise<{ bytes: number; written: string[] }> {
  const folders: Entry[] = [];
  const files: Entry[] = [];
  const visit = (path: string) => {
    const file = join(from, path);
    if (rules.leaveOut?.(path, file)) return;
    const { size, mode, uid, gid, ...found } = lstat(file);
    const entry = { path, size, mode: mode & 0o7777, uid, gid };
    if (found.folder) {
      folders.push(entry);
      for (const name of readdirSync(file)) visit(path === "" ? name : join(path, name));
    } else if (found.file) files.push(entry);
    else throw new NotCopied(`${file} is neither a file nor a folder, and is not copied. Remove it first.`);
  };
  visit("");
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const shared = files.filter(({ path }) => rules.share?.(path));
  const copied = files.filter(({ path }) => !rules.share?.(path));
  for (const { path, mode, ...owner } of folders) await makeOwned(join(to, path), mode, owner);
  const written = [...folders.map(({ path }) => join(to, path))];
  const [first] = copied;
  if (first) {
    const expected = copied.reduce((sum, { size }) => sum + size, 0);
    await progress.expect(expected, join(from, first.path), join(to, first.path));
  }
  const copyOne = async ({ path, size, mode, ...owner }: Entry) => {
    const target = join(to, path);
    await progress.copy(join(from, path), target, size);
    await chmod(target, mode);
    await own(target, owner);
    written.push(target);
  };
  await eachOf(shared, async (entry) => {
    try {
      await link(join(from, entry.path), join(to, entry.path));
    } catch (error) {
      if (!NO_LINK.has((error as NodeJS.ErrnoException).code)) throw error;
      await copyOne(entry);
    }
  });
  await eachOf(copied, copyOne);
  return { bytes, written };
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

function lstat(path: string) {
  const found = lstatSync(path);
  const { size, mode, uid, gid } = found;
  return { size, mode, uid, gid, folder: found.isDirectory(), file: found.isFile() };
}

async function canReflink(from: string, to: string): Promise<boolean> {
  const probe = join(dirname(to), `.reflink-${process.pid}`);
  return copyFile(from, probe, constants.COPYFILE_FICLONE_FORCE)
    .then(() => true)
    .catch(() => false)
    .finally(() => rm(probe, { force: true }));
}

async function makeOwned(path: string, mode: number, owner: Pick<Entry, "uid" | "gid">): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  await chmod(path, mode);
  await own(path, owner);
}

/** For root, whose Postgres has another account: a copy belongs to the owner of the original. */
async function own(path: string, { uid, gid }: Pick<Entry, "uid" | "gid">): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, gid);
}

/** A few at a time; none is begun after a failure, and it is thrown once the others have ended. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const next = all.values();
  let failed = false;
  const worker = async () => {
    for (const one of next) {
      if (failed) return;
      await work(one).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: AT_A_TIME }, worker));
  for (const one of settled) if (one.status === "rejected") throw one.reason;
}
