/** Owns finding where a project's SQL creates extensions that are not the real ones here. */
import { firstWord, positionOf, splitStatements } from "../statements/split.ts";
import { type ExtensionClass, extensionEntry } from "./classes.ts";
import { systemExtensions } from "./system.ts";

/** An extension that a file creates. */
export interface WantedExtension {
  readonly name: string;
  /** `unknown` to Homebase; the migration then fails unless this machine has it. */
  readonly class: ExtensionClass | "unknown";
  readonly differs: string;
  readonly file: string;
  readonly line: number;
}

/** Whether it is weaker here than the real one. */
export interface WeakExtension extends WantedExtension {
  readonly class: Exclude<ExtensionClass, "real">;
}

const CREATE = /^create\s+extension\s+(?:if\s+not\s+exists\s+)?(?:"((?:[^"]|"")+)"|([a-z_][\w$]*))/i;

/** Each extension that the files create, once, at the first line that creates it. */
export function wantedExtensions(files: readonly { path: string; sql: string }[]): WantedExtension[] {
  const found = new Map<string, WantedExtension>();
  let system: ReadonlySet<string> | undefined;
  for (const { path, sql } of files) {
    if (!/create\s+extension/i.test(sql)) continue;
    for (const statement of splitStatements(sql)) {
      const offset = firstWord(statement);
      const match = CREATE.exec(statement.text.slice(offset - statement.offset));
      const name = match?.[1]?.replaceAll('""', '"') ?? match?.[2]?.toLowerCase();
      if (name === undefined || found.has(name)) continue;
      system ??= new Set(systemExtensions().names);
      const { class: kind = "unknown", differs = "" } = extensionEntry(name) ?? {};
      const place = { file: path, line: positionOf(sql, offset).line };
      found.set(
        name,
        system.has(name)
          ? { name, class: "real", differs: "", ...place }
          : { name, class: kind, differs, ...place },
      );
    }
  }
  return [...found.values()];
}

/** The extensions that are weaker here than the real ones. */
export function weakExtensions(files: readonly { path: string; sql: string }[]): WeakExtension[] {
  return wantedExtensions(files).filter(
    (one): one is WeakExtension => one.class !== "real" && one.class !== "unknown",
  );
}
