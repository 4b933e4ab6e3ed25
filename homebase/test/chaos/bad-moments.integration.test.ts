/**
 * Kills at bad moments: during the first start, a migration, a reset and a stop, at times that a seed
 * determines. Afterwards the next start works, what was acknowledged is there, and a change is there whole or
 * not at all. CHAOS_MOMENTS=10 runs ten rounds of each instead of one; CHAOS_SEED=n repeats another run's.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { targetOf, withClient } from "../../src/tools/command-connection.ts";
import { Project } from "../cli/project.ts";
import { kill, postmasterBelow } from "./kills.ts";
import { CHAOS_PROJECT, Load } from "./load.ts";
import { seeded } from "./random.ts";

const ROUNDS = Number(process.env.CHAOS_MOMENTS ?? 1);
const SEED = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);
const ROUND_LIMIT_MS = 90_000;
const SEEDED_ROW = 0;
/** Marks the data from before a reset. */
const MARKED_ROW = -1;

const random = seeded(SEED);
let project: Project;
let load: Load;
afterEach(async () => {
  await load?.close();
  await project?.remove();
}, 60_000);

async function begin(): Promise<void> {
  project = new Project({ ...CHAOS_PROJECT, "seed.sql": `insert into public.notes values (${SEEDED_ROW});` });
  load = new Load(project);
}

/** Who is killed; the rest of the tree has to notice. */
const VICTIMS: Record<string, (victim: Project) => Promise<void>> = {
  "the whole tree": (victim) => victim.killTree(),
  "the command": async (victim) => {
    kill(victim.pid, "SIGKILL");
    await victim.ended();
  },
  Postgres: async (victim) => kill(postmasterBelow(victim.pid), "SIGKILL"),
};

/**
 * Runs `work` of a process and kills at a random time of what it takes. @returns who was killed when.
 * @param took how long the work takes undisturbed, in milliseconds
 */
async function disturb(victim: Project, took: number, work: Promise<unknown>): Promise<string> {
  const names = Object.keys(VICTIMS);
  const name = names[Math.floor(random() * names.length)] ?? "";
  const after = random() * took * 1.1;
  await pause(after);
  await VICTIMS[name]?.(victim);
  await work;
  return `${name} after ${Math.round(after)} of ${Math.round(took)} ms`;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const ask = async (text: string) =>
  withClient(targetOf(project.database), async (client) => (await client.query(text)).rows);

/** The next start works, whatever a kill left; a command that ended meanwhile did not end in a stack trace. */
async function startAgain(what: string, victim = project): Promise<void> {
  expect(victim.output, what).not.toMatch(/\n\s+at .+:\d+:\d+/);
  await victim.killTree();
  await project.killTree();
  await project.start();
}

function report(line: string): void {
  if (process.env.CHAOS_REPORT) appendFileSync(process.env.CHAOS_REPORT, `${line}\n`);
}

async function checkFiles(what: string): Promise<void> {
  const check = await project.run("storage", "check", "--hash");
  expect([check.code, check.stdout, check.stderr], what).toEqual([
    0,
    expect.stringContaining("No faults"),
    "",
  ]);
}

async function someLoad(): Promise<void> {
  const before = load.acknowledged;
  load.start();
  await expect.poll(() => load.acknowledged).toBeGreaterThan(before + 20);
  await load.stop();
}

/** A migration of several statements, of which a kill may meet any. */
const migration = (name: string) => `create table public.${name} (id int primary key);
insert into public.${name} select generate_series(1, 1000);
select pg_sleep(0.2);
insert into public.${name} select generate_series(1001, 2000);
select pg_sleep(0.2);
alter table public.${name} enable row level security;
`;

describe.skipIf(process.platform !== "linux")(`kills, ${ROUNDS} of each (CHAOS_SEED=${SEED})`, () => {
  const limit = 120_000 + ROUNDS * ROUND_LIMIT_MS;

  test(
    "during the first start: the next one makes the project whole",
    async () => {
      await begin();
      const took = await timed(() => project.start());
      for (let round = 1; round <= ROUNDS; round += 1) {
        await project.remove();
        await begin();
        const what = await disturb(project, took, project.tryStart());
        report(`first start, round ${round}: ${what}`);
        await startAgain(what);
        expect(await ask("select id::int from public.notes"), what).toEqual([{ id: SEEDED_ROW }]);
        await someLoad();
        expect(await load.missing(), what).toEqual([]);
        await checkFiles(what);
      }
    },
    limit,
  );

  test(
    "during migrations of a start: each is applied once, and rows stay",
    async () => {
      await begin();
      await project.start();
      await someLoad();
      let took = 0;
      // The first round only measures.
      for (let round = 0; round <= ROUNDS; round += 1) {
        await project.stop();
        const names = [`more_${round}`, `most_${round}`];
        for (const [index, name] of names.entries()) {
          project.write(`migrations/${20260201000000 + 2 * round + index}_${name}.sql`, migration(name));
        }
        if (round === 0) {
          took = await timed(() => project.start());
          continue;
        }
        const what = await disturb(project, took, project.tryStart());
        report(`migration at a start, round ${round}: ${what}`);
        await startAgain(what);
        const counts = names.map((name) => `(select count(*) from public.${name})::int as ${name}`);
        const [made, ...counted] = names;
        expect(await ask(`select ${counts}`), what).toEqual([
          { [made ?? ""]: 2000, [counted[0] ?? ""]: 2000 },
        ]);
        const applied = await ask("select count(*)::int from supabase_migrations.schema_migrations");
        expect(applied, what).toEqual([{ count: 1 + 2 * (round + 1) }]);
        expect(await load.missing(), what).toEqual([]);
      }
    },
    limit,
  );

  test(
    "during a migration that is saved while the stack runs: it is applied once, and rows stay",
    async () => {
      await begin();
      await project.start();
      for (let round = 1; round <= ROUNDS; round += 1) {
        const name = `more_${round}`;
        load.start();
        await expect.poll(() => load.acknowledged).toBeGreaterThan(20 * round);
        project.write(`migrations/${20260201000000 + round}_${name}.sql`, migration(name));
        const what = await disturb(project, 1_000, load.stop());
        report(`saved migration, round ${round}: ${what}`);
        await startAgain(what);
        expect(await ask(`select count(*)::int from public.${name}`), what).toEqual([{ count: 2000 }]);
        expect(await load.missing(), what).toEqual([]);
      }
    },
    limit,
  );

  /** After a kill during a reset: the old or the new data is there, all of it. @returns which. */
  async function oldOrNew(what: string): Promise<"old" | "new"> {
    const marked = await ask(`select 1 from public.notes where id = ${MARKED_ROW}`);
    if (marked.length === 1) {
      expect(await load.missing(), what).toEqual([]);
    } else {
      expect(await ask("select id::int from public.notes"), what).toEqual([{ id: SEEDED_ROW }]);
      const left =
        "select (select count(*) from storage.objects)::int + (select count(*) from auth.users)::int";
      expect(await ask(`${left} as left`), what).toEqual([{ left: 0 }]);
      await load.close();
      load = new Load(project);
    }
    await checkFiles(what);
    return marked.length === 1 ? "old" : "new";
  }

  async function mark(): Promise<void> {
    await someLoad();
    await ask(`insert into public.notes values (${MARKED_ROW}) on conflict do nothing`);
  }

  test(
    "during a reset of a running stack: the old or the new data is whole",
    async () => {
      await begin();
      await project.start();
      const took = await timed(() => project.run("reset"));
      for (let round = 1; round <= ROUNDS; round += 1) {
        await mark();
        const reset = project.run("reset");
        const what = await disturb(project, took, reset);
        const { code, stderr } = await reset;
        expect(stderr, what).not.toMatch(/\n\s+at .+:\d+:\d+/);
        await startAgain(what);
        const found = await oldOrNew(what);
        report(`reset of a running stack, round ${round}: ${what}; exit ${code}, ${found} data`);
        if (code === 0) expect(found, what).toBe("new");
      }
    },
    limit,
  );

  test(
    "during a reset of a stopped one: the old or the new data is whole",
    async () => {
      await begin();
      await project.start();
      await project.stop();
      const took = await timed(() => project.run("reset"));
      await project.start();
      for (let round = 1; round <= ROUNDS; round += 1) {
        await mark();
        await project.stop();
        const reset = project.twin();
        reset.starts = ["reset"];
        const ended = reset.tryStart();
        const what = await disturb(reset, took, ended);
        const { code } = await ended;
        await startAgain(what, reset);
        const found = await oldOrNew(what);
        report(`reset of a stopped one, round ${round}: ${what}; exit ${code}, ${found} data`);
        if (code === 0) expect(found, what).toBe("new");
      }
    },
    limit,
  );

  test(
    "during a stop under load: nothing that was acknowledged is lost",
    async () => {
      await begin();
      await project.start();
      const took = await timed(() => project.stop());
      await project.start();
      for (let round = 1; round <= ROUNDS; round += 1) {
        load.start();
        await expect.poll(() => load.acknowledged).toBeGreaterThan(20 * round);
        const what = await disturb(project, took, Promise.all([project.stop(), load.stop()]));
        report(`stop, round ${round}: ${what}`);
        await startAgain(what);
        expect(await load.missing(), what).toEqual([]);
        await checkFiles(what);
      }
    },
    limit,
  );
});
