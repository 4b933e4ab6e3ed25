/** Owns the saved statements: files of `supabase/snippets`, of which none is read or written through a link. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { writeProjectFile } from "../../../../src/config/project-paths.ts";
import type { Snippet, SnippetAct } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import { SNIPPET } from "../questions.ts";

const ENDING = ".sql";
const MOST_LISTED = 500;
/** Of a file that is opened; a call's body takes no more. */
const MOST_BYTES = 60 * 1024;
export class Snippets {
  readonly #project: string;
  constructor(projectFolder: string) {
    this.#project = projectFolder;
  }

  list(): { names: string[] } {
    const folder = this.#folder();
    const files = folder === undefined ? [] : readdirSync(folder, { withFileTypes: true });
    const names = files
      .filter((one) => one.isFile() && one.name.endsWith(ENDING))
      .map((one) => one.name.slice(0, -ENDING.length))
      .filter((one) => SNIPPET.test(one))
      .sort((one, other) => one.localeCompare(other));
    return { names: names.slice(0, MOST_LISTED) };
  }

  /** @throws CallRefused where there is none that may be read */
  read(asked: string): Snippet {
    const bytes = this.#bytes(asked);
    if (!bytes) throw new CallRefused(404, `There is no ${pathOf(asked)}.`);
    if (bytes.length > MOST_BYTES)
      throw new CallRefused(422, `${pathOf(asked)} is larger than the 60 KB that the page takes.`);
    return { name: asked, text: bytes.toString(), version: versionOf(bytes) };
  }

  /** @throws CallRefused: 409 where the file is another than the page knows */
  act(act: SnippetAct): { version?: string } {
    const bytes = this.#bytes(act.name);
    const file = join(this.#made(), act.name + ENDING);
    switch (act.do) {
      case "save": {
        if ((bytes && versionOf(bytes)) !== act.version)
          throw new CallRefused(
            409,
            act.version === undefined
              ? `${pathOf(act.name)} is there already.`
              : `${pathOf(act.name)} was ${bytes ? "changed" : "deleted"} by another program.`,
          );
        const saved = Buffer.from(act.text);
        // A new name takes the place of the old one in one step, and follows no link.
        const making = `${file}.${process.pid}.new`;
        writeProjectFile(this.#project, making, act.text, { flag: "wx" });
        renameSync(making, file);
        return { version: versionOf(saved) };
      }
      case "rename":
        if (!bytes) throw new CallRefused(404, `There is no ${pathOf(act.name)}.`);
        if (this.#bytes(act.to)) throw new CallRefused(409, `${pathOf(act.to)} is there already.`);
        renameSync(file, join(this.#made(), act.to + ENDING));
        return {};
      case "delete":
        if (bytes && versionOf(bytes) !== act.version)
          throw new CallRefused(409, `${pathOf(act.name)} was changed by another program.`);
        rmSync(file, { force: true });
        return {};
    }
  }

  /** Undefined where there is no such file. @throws CallRefused for a link, or what is no file */
  #bytes(asked: string): Buffer | undefined {
    const folder = this.#folder();
    if (folder === undefined) return undefined;
    const path = join(folder, asked + ENDING);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return undefined;
    if (!found.isFile()) throw new CallRefused(422, `${pathOf(asked)} is no file of its own, but a link.`);
    // It may have become a link since.
    const opened = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return readFileSync(opened);
    } finally {
      closeSync(opened);
    }
  }

  /** Undefined where there is none. @throws CallRefused where a part of its path below the project is a link */
  #folder(): string | undefined {
    let path = this.#project;
    for (const part of ["supabase", "snippets"]) {
      path = join(path, part);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found) return undefined;
      if (!found.isDirectory()) throw new CallRefused(422, `${part} is a link: its files are not opened.`);
    }
    return path;
  }

  #made(): string {
    const folder = this.#folder() ?? join(this.#project, "supabase", "snippets");
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

function pathOf(asked: string): string {
  return `supabase/snippets/${asked}${ENDING}`;
}

function versionOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
