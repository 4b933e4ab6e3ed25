/** Owns how it is noted that a request uses what hosted's versions do not have, for every service that can know it. */
import type { Log } from "../core/log.ts";
import type { RequestRecord } from "./records.ts";

const MOST_TOLD = 1_000;

export type TellLater = (record: RequestRecord | undefined, sentences: readonly string[]) => void;

/** Tells a request's record; a strict project's log has it too, once for each path. */
export function tellingLater(log: Log, strict = false): TellLater {
  const told = new Set<string>();
  return (record, sentences) => {
    if (!record || sentences.length === 0) return;
    record.later = sentences;
    for (const sentence of strict ? sentences : []) {
      const line = `${record.method} ${record.path}: ${sentence}`;
      if (told.has(line) || told.size >= MOST_TOLD) continue;
      told.add(line);
      log.warn(line);
    }
  };
}
