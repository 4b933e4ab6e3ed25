/** Owns what the counts of a run say: which verdicts each part has had, and which it never had. */

import { withArticle } from "../text.ts";
import { NOTHING, type Untested, UntestedError, type UntestedVerdict, type Wanted } from "../untested.ts";
import type { CountedDatabase, Run } from "./counts.ts";
import { type Counted, OTHERS, readCounter, type Verdict } from "./instrument.ts";

/** How often a part was decided, by the caller's role; one entry in functions. */
export interface Decisions {
  role?: string;
  true: number;
  false: number;
  unknown: number;
}

export interface CountedPart extends Counted {
  decisions: Decisions[];
  /** Verdicts that the part never had and that no line of the project's list argues away. */
  missing: Wanted[];
}

export interface Coverage {
  parts: CountedPart[];
  uncounted: Run["manifest"]["uncounted"];
  /** Verdicts wanted, and those of them that were seen; a verdict that cannot be is not wanted. */
  wanted: number;
  seen: number;
  /** Verdicts that cannot be, with the reason that the project gives. */
  unreachable: UntestedVerdict[];
  /** Databases that were counted. */
  databases: number;
  /** Databases whose counts nobody read, by the test file where it is known. */
  lost: string[];
  /** Tests that have asked for policies as they are, likewise. */
  plain: string[];
}

/** @throws UntestedError when the list names a part that is not there, or a verdict that was seen. */
export function coverageOf(
  { manifest, databases }: Run,
  { verdicts: unreachable }: Untested = NOTHING,
): Coverage {
  const decisions = manifest.counted.map(({ roles }) =>
    (roles.length === 0 ? [undefined] : roles).map((role) => ({
      role,
      true: 0,
      false: 0,
      unknown: 0,
    })),
  );
  for (const { counts = {} } of databases) {
    for (const [counter, calls] of Object.entries(counts)) {
      const { part, role, verdict } = readCounter(counter);
      const one = decisions[part]?.[role];
      if (one) one[verdict] += calls;
    }
  }
  const seen = (at: number, verdict: Verdict) => decisions[at]?.some((one) => one[verdict] > 0) ?? false;
  checkUnreachable(manifest.counted, unreachable, seen);
  const parts = manifest.counted.map((counted, at) => ({
    ...counted,
    decisions: decisions[at] ?? [],
    missing: wantedOf(counted, unreachable).filter((verdict) => !seen(at, verdict)),
  }));
  const wanted = manifest.counted.reduce((sum, one) => sum + wantedOf(one, unreachable).length, 0);
  return {
    parts,
    uncounted: manifest.uncounted,
    wanted,
    seen: wanted - parts.reduce((sum, { missing }) => sum + missing.length, 0),
    unreachable: [...unreachable],
    databases: databases.filter(({ counts }) => counts).length,
    lost: namesOf(databases.filter(({ counts, plain }) => !counts && !plain)),
    plain: namesOf(databases.filter(({ plain }) => plain)),
  };
}

function namesOf(databases: readonly CountedDatabase[]): string[] {
  return [...new Set(databases.map(({ file, database }) => file ?? database))].sort();
}

/** A constant has one verdict. */
function wantedOf({ id, text }: Counted, unreachable: readonly UntestedVerdict[]): Wanted[] {
  return (["true", "false"] as const).filter(
    (verdict) =>
      !(text === "true" && verdict === "false") &&
      !(text === "false" && verdict === "true") &&
      !unreachable.some((one) => one.id === id && one.verdict === verdict),
  );
}

function checkUnreachable(
  counted: readonly Counted[],
  unreachable: readonly UntestedVerdict[],
  seen: (at: number, verdict: Verdict) => boolean,
): void {
  for (const { id, verdict } of unreachable) {
    const at = counted.findIndex((one) => one.id === id);
    if (at < 0) throw new UntestedError(`There is no part ${id}: remove its line.`);
    if (seen(at, verdict)) throw new UntestedError(`${id} was ${verdict}: remove its line.`);
  }
}

/** The seen share of the wanted verdicts, in per cent, cut to one digit so that 100 means all. */
export function percentOf({ seen, wanted }: Coverage): number {
  return wanted === 0 ? 100 : Math.floor((seen / wanted) * 1_000) / 10;
}

/** What a test would have to do, for a verdict that a part never had. */
export function missingSentence(
  { part, command, roles, function: name }: CountedPart,
  verdict: Wanted,
): string {
  if (!part) return `a call of ${name} with a row for which it is ${verdict}`;
  const who = roles.filter((role) => role !== OTHERS).join(" or ") || "any role";
  const what = withArticle(command ?? "all");
  if (part.kind === "check") {
    return `${command === "all" ? "an insert or update" : what} by ${who} whose row makes it ${verdict}`;
  }
  return `${what} by ${who} of a row that makes it ${verdict}`;
}

export function textOfCoverage(coverage: Coverage): string {
  const lines: string[] = [];
  let heading = "";
  for (const one of coverage.parts) {
    const next = one.part
      ? `${one.part.table.schema}.${one.part.table.name} "${one.part.policy}" (${one.command})`
      : `function ${one.function}`;
    if (next !== heading) lines.push("", next);
    heading = next;
    const counts = one.decisions
      .filter((each) => each.true + each.false + each.unknown > 0)
      .map((each) => {
        const unknown = each.unknown > 0 ? `, unknown ${each.unknown}` : "";
        return `${each.role ? `${each.role}: ` : ""}true ${each.true}, false ${each.false}${unknown}`;
      });
    const kind = one.part ? `${one.part.kind} ` : "";
    lines.push(`  ${one.missing.length > 0 ? "!" : " "} ${kind}${one.text}`);
    lines.push(`      ${counts.join("; ") || "never decided"}`);
  }
  const missing = coverage.parts.flatMap((one) =>
    one.missing.map((verdict) => `  ${one.id}\n    ${missingSentence(one, verdict)}`),
  );
  const section = (title: string, entries: readonly string[]) =>
    entries.length > 0 ? ["", title, ...entries] : [];
  return `${[
    ...lines.slice(1),
    ...section(
      "Not counted:",
      coverage.uncounted.map((one) => `  ${one.function}: ${one.reason}`),
    ),
    ...section(
      "Databases whose counts nobody read (a worker was killed, or a Backend was not dropped):",
      coverage.lost.map((one) => `  ${one}`),
    ),
    ...section(
      "Not counted, because the test reads policies as they are:",
      coverage.plain.map((one) => `  ${one}`),
    ),
    ...section(
      "Cannot be, says supabase/untested.txt:",
      coverage.unreachable.map(({ id, verdict, reason }) => `  ${id} ${verdict}: ${reason}`),
    ),
    ...section("Never decided, and what would decide it:", missing),
    "",
    `${coverage.seen} of ${coverage.wanted} verdicts of ${coverage.parts.length} parts were seen (${percentOf(coverage)} %), in ${coverage.databases} databases.`,
  ].join("\n")}\n`;
}
