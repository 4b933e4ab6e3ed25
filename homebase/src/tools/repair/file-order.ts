/** Owns an order of files in which each runs after those that it needs, and otherwise as before. */
import { basename } from "node:path";
import type { Migration } from "../../postgres/files/project-files.ts";

export class FileOrder {
  readonly #files: readonly Migration[];
  /** By file, the files that run before it. */
  readonly #needs = new Map<string, Set<string>>();
  /** Pairs of files that need each other: no order has both. */
  readonly #impossible = new Set<string>();

  constructor(files: readonly Migration[]) {
    this.#files = files;
  }

  /**
   * Lets a file run before another one.
   * @returns false where it does already, or where the other one has to run before it
   */
  require(file: string, before: string): boolean {
    const known = this.#needs.get(before) ?? new Set<string>();
    const pair = [file, before].sort().join("\n");
    const isFile = (path: string) => this.#files.some((one) => one.path === path);
    if (file === before || known.has(file) || this.#impossible.has(pair) || !isFile(file) || !isFile(before))
      return false;
    if (this.#allNeeded(file).has(before)) {
      this.#impossible.add(pair);
      return this.#needs.get(file)?.delete(before) ?? false;
    }
    this.#needs.set(before, known.add(file));
    return true;
  }

  /** The files in this order. */
  files(): Migration[] {
    const placed = new Set<Migration>();
    const place = (file: Migration) => {
      if (placed.has(file)) return;
      for (const needed of this.#files) if (this.#needs.get(file.path)?.has(needed.path)) place(needed);
      placed.add(file);
    };
    this.#files.forEach(place);
    return [...placed];
  }

  /** Why a file gets another version; undefined where others only need the room. */
  reason(path: string): string | undefined {
    const at = this.#files.findIndex((file) => file.path === path);
    const needing = this.#files.slice(0, at).find((file) => this.#needs.get(file.path)?.has(path));
    const needed = this.#files.slice(at + 1).find((file) => this.#needs.get(path)?.has(file.path));
    if (needing) return `${basename(needing.path)} needs it`;
    if (needed) return `it needs ${basename(needed.path)}`;
    const { version } = this.#files[at] ?? {};
    const twice = this.#files.some((file, index) => index < at && file.version === version);
    return twice ? "its version stands twice" : undefined;
  }

  #allNeeded(file: string, found = new Set<string>()): Set<string> {
    for (const needed of this.#needs.get(file) ?? []) {
      if (!found.has(needed)) this.#allNeeded(needed, found.add(needed));
    }
    return found;
  }
}
