/**
 * Owns mutation tests of row security: each change of a policy is made in a database of its own, and the pgTAP files that
 * decide something there run in it. A change that no file notices is one that no test holds.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Config } from "../../src/config/config.ts";
import {
  claimCoverageFolder,
  coverageFolder,
  ensureCountedTemplate,
  NOTHING,
  type Run,
  readCounter,
  readRun,
  type Untested,
} from "../../src/explain/index.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureTemplate } from "../../src/postgres/cluster/template-databases.ts";
import { commitsChanges, type TapFile } from "../../src/tools/tap/pgtap-files.ts";
import { type FileOutcome, prepareForTap, runFileIn, runInClones } from "../../src/tools/tap/run-pgtap.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

export interface MutantResult {
  id: string;
  change: string;
  missing: string;
  sql: string;
  /** The test file that noticed it. */
  noticedBy?: string;
  /** Why nothing can notice it, as the project's list says. */
  argued?: string;
  /** The files that decide something of the policy, in any run that was counted. */
  deciding: string[];
}

export interface MutationRequest {
  files: readonly TapFile[];
  /** Of all changes, those to make. */
  wanted?: (mutant: Mutant) => boolean;
  /** The project's list of what no test can notice. */
  untested?: Untested;
  /** Begin again, instead of going on after an end in the middle. */
  again?: boolean;
  report?: (result: MutantResult, done: number, all: number) => void;
}

/** Tests fail without any change. */
export class FailingTests extends Error {
  constructor(failed: readonly FileOutcome[]) {
    const files = failed.map(({ path, error, assertions }) => {
      const first = error ?? assertions.find(({ passed }) => !passed)?.description;
      return first ? `${path} (${first})` : path;
    });
    super(`${files.join(", ")} failed without any change.`);
  }
}

/** A change may make a statement run for ever. */
const STATEMENT_TIMEOUT = "30s";

/**
 * Makes every change and runs the files that may notice it, until one does.
 * @throws FailingTests when a file fails without a change.
 */
export async function mutatePolicies(
  cluster: ClusterClient,
  config: Config,
  { files, wanted = () => true, untested = NOTHING, again = false, report = () => {} }: MutationRequest,
): Promise<MutantResult[]> {
  const plain = await ensureTemplate(cluster, config);
  const counted = await ensureCountedTemplate(cluster, config);
  const outcomes = await runInClones(cluster, counted, files, undefined, { config, plain });
  const failed = outcomes.filter(({ passed }) => !passed);
  if (failed.length > 0) throw new FailingTests(failed);
  const run = readRun(config);
  if (!run) throw new Error("The files were not counted.");
  const base = `mutation_${process.pid}`;
  await cloneDatabase(cluster, plain, base);
  try {
    await prepareForTap(
      cluster,
      base,
      files.filter(({ sql }) => commitsChanges(sql)),
    );
    const mutants = (await cluster.asProject(mutantsOf, base)).filter(wanted);
    await cluster.release(base);
    const known = new Ledger(config, files, again);
    const quick = files.filter(({ sql }) => !commitsChanges(sql));
    const seconds = new Map(outcomes.map(({ path, milliseconds }) => [path, milliseconds]));
    const results: MutantResult[] = [];
    const waiting = [...mutants];
    const work = async () => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const one = mutant;
        const deciding = filesThatDecide(run, one);
        let result = known.of(one);
        if (!result) {
          const able = quick
            .filter(({ path }) => deciding.has(path))
            .sort((a, b) => (seconds.get(a.path) ?? 0) - (seconds.get(b.path) ?? 0));
          result = await noticed(cluster, base, one, able);
          known.keep(one, result);
        }
        const { id, change, missing, sql } = one;
        const argued = result.noticedBy === undefined ? reasonOf(one, untested) : undefined;
        const whole = {
          ...{ id, change, missing, sql, ...result, deciding: [...deciding].sort() },
          argued,
        };
        results.push(whole);
        report(whole, results.length, mutants.length);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    return results.sort((a, b) => (a.id < b.id ? -1 : 1));
  } finally {
    await dropDatabase(cluster, base);
  }
}

/** A verdict that cannot be takes the changes with it that only it would show. */
function reasonOf({ id, decisive }: Mutant, { verdicts, changes }: Untested): string | undefined {
  return (
    changes.find((one) => one.id === id)?.reason ??
    verdicts.find((one) => one.id === decisive?.part && one.verdict === decisive.verdict)?.reason
  );
}

let count = 0;

/** Makes a change in a copy, and runs files in it until one fails. */
async function noticed(
  cluster: ClusterClient,
  base: string,
  mutant: Mutant,
  files: readonly TapFile[],
): Promise<{ noticedBy?: string }> {
  if (files.length === 0) return {};
  const name = `${base}_${count++}`;
  await cloneDatabase(cluster, base, name, { statement_timeout: STATEMENT_TIMEOUT });
  try {
    await cluster.asProject((client) => client.query(mutant.sql), name);
    for (const file of files) {
      const { passed, path } = await runFileIn(cluster, name, file);
      if (!passed) return { noticedBy: path };
    }
    return {};
  } finally {
    await dropDatabase(cluster, name);
  }
}

/** The files in whose databases a part of the policy, or of the function, was decided. */
function filesThatDecide({ manifest, databases }: Run, { of }: Mutant): Set<string> {
  const parts = new Set(
    manifest.counted.flatMap((one, at) => {
      if ("function" in of) return one.function === of.function ? [at] : [];
      const { part } = one;
      const here =
        part &&
        of.policies.some(
          ({ table, name }) =>
            name === part.policy && table.schema === part.table.schema && table.name === part.table.name,
        );
      return here ? [at] : [];
    }),
  );
  return new Set(
    databases.flatMap(({ file, counts = {} }) =>
      file !== undefined && Object.keys(counts).some((name) => parts.has(readCounter(name).part))
        ? [file]
        : [],
    ),
  );
}

/** The results so far, in a file: an interrupted run goes on. They hold as long as migrations, seed and tests do. */
class Ledger {
  readonly #file: string;
  readonly #known = new Map<string, { noticedBy?: string }>();

  constructor(config: Config, files: readonly TapFile[], again: boolean) {
    const hash = createHash("sha256");
    for (const { path, sql } of files) hash.update(path).update("\0").update(sql).update("\0");
    claimCoverageFolder(config);
    this.#file = join(coverageFolder(config), `mutants-${hash.digest("hex").slice(0, 12)}.jsonl`);
    if (again) rmSync(this.#file, { force: true });
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, "utf8").split("\n").slice(0, -1)) {
      const { key, ...result } = JSON.parse(line) as { key: string; noticedBy?: string };
      this.#known.set(key, result);
    }
  }

  of({ id, sql }: Mutant): { noticedBy?: string } | undefined {
    return this.#known.get(keyOf(id, sql));
  }

  keep({ id, sql }: Mutant, result: { noticedBy?: string }): void {
    appendFileSync(this.#file, `${JSON.stringify({ key: keyOf(id, sql), ...result })}\n`);
  }
}

function keyOf(id: string, sql: string): string {
  return createHash("sha256").update(id).update("\0").update(sql).digest("hex").slice(0, 16);
}
