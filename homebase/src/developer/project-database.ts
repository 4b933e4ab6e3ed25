/**
 * Owns the developer's database: created from the base, updated in place, rebuilt on reset.
 */
import { randomUUID } from "node:crypto";
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../postgres/cluster/copies.ts";
import { ensureImplied, impliedBy } from "../postgres/cluster/implied.ts";
import {
  baseSetting,
  createFromBase,
  ensureTemplate,
  forgetTemplates,
  prepareProject,
} from "../postgres/cluster/template-databases.ts";
import { weakExtensions } from "../postgres/extensions/uses.ts";
import { ProjectFileError } from "../postgres/files/errors.ts";
import {
  type Migration,
  otherSqlFiles,
  readMigrations,
  seedFiles,
  unmatchedSeedPatterns,
} from "../postgres/files/project-files.ts";
import type { Difference } from "../postgres/files/run-file.ts";
import {
  type Applying,
  applyMigrations,
  applyReplacements,
  applyRoles,
  applySeeds,
  type MigrationState,
  migrationState,
  SEED_HISTORY,
  written,
} from "../postgres/migrations.ts";
import {
  bringUpToDate,
  newestRelease,
  RELEASE_SETTING,
  refuseOtherVersions,
} from "../postgres/upgrades/apply.ts";
import { requireOwnBranch } from "./branch-of-state.ts";
import { resetLockouts } from "./lockouts.ts";
import type { MigrationOutcome, Notice } from "./notices.ts";
import { DATABASE, NEXT, PREVIOUS, StackDatabases } from "./stack-databases.ts";
import { unprotectedTables } from "./unprotected-tables.ts";
import { disableUnsafeObjects } from "./unsafe-objects.ts";

/** A database that was found or created. */
export interface FoundDatabase {
  /** Its id, which its stored files also have. */
  id: string;
  /** Whether it already had that id. */
  known: boolean;
  /** The state of the steps before the migrations. */
  before: "done" | "due" | "resumed";
  /** Whether the services have yet to initialise the database. */
  unprepared: boolean;
  /** Whether the database that it replaced still exists. */
  replaced: boolean;
}

const ID = "homebase.files";
/** The project files that a new database still lacks: `roles`, `seeds`. */
const DUE = "homebase.due";
/** How far a database is: `making`, then `filling`, then nothing. */
const STAGE = "homebase.stage";
/** The version that a reset ended with: later files wait until they are asked for. */
const LAST = "homebase.last_migration";

/** The developer's database. */
export class ProjectDatabase {
  readonly #cluster: ClusterClient;
  readonly #databases: StackDatabases;
  readonly #config: Config;
  readonly #notify: (notice: Notice) => void;
  /** The file that could not be applied last time. */
  #failed: ProjectFileError | undefined;
  /** The last notice about edited and removed files, so that it is not repeated at every save. */
  #lastReport = "";

  constructor(cluster: ClusterClient, config: Config, onNotice: (notice: Notice) => void = () => {}) {
    this.#cluster = cluster;
    this.#databases = new StackDatabases(cluster);
    this.#config = config;
    this.#notify = onNotice;
  }

  /**
   * Creates the database if the cluster has none. @param beforeMaking called before that; an exception leaves
   * everything unchanged.
   */
  async ensure(beforeMaking: () => void = () => {}): Promise<FoundDatabase> {
    const databases = await this.#databases.read();
    let settings = databases.get(DATABASE);
    let fresh = false;
    if (!settings) {
      beforeMaking();
      await dropDatabase(this.#cluster, NEXT);
      settings = this.#settings("making");
      await createFromBase(this.#cluster, NEXT, settings);
      await this.#databases.rename([[NEXT, DATABASE]]);
      fresh = true;
    } else {
      refuseOtherVersions(settings);
      await this.#resetLockouts();
      const upgraded = await bringUpToDate(this.#cluster, DATABASE, settings);
      if (upgraded.length > 0) this.#notify({ kind: "upgraded", steps: upgraded });
      await this.#disableUnsafeObjects();
      // The database of a killed reset has an id; without one it may be the project's own.
      if (databases.get(NEXT)?.[ID]) await dropDatabase(this.#cluster, NEXT);
      await forgetTemplates(this.#cluster);
    }
    const id = settings[ID] ?? randomUUID();
    if (!settings[ID]) await this.#databases.set(ID, id);
    return {
      id,
      known: settings[ID] !== undefined && !fresh,
      before: fresh ? "due" : settings[STAGE] === "making" ? "resumed" : "done",
      unprepared: settings[STAGE] !== undefined,
      replaced: databases.has(PREVIOUS),
    };
  }

  /** Opens the database of another state of the project. */
  reopen(): Promise<FoundDatabase> {
    this.#lastReport = "";
    this.#failed = undefined;
    return this.ensure();
  }

  /** The file that could not be applied, until it succeeds. */
  get failed(): ProjectFileError | undefined {
    return this.#failed;
  }

  /** Whether the database exists, and its id. Changes nothing. */
  async present(): Promise<{ id: string | undefined } | undefined> {
    const settings = (await this.#databases.read()).get(DATABASE);
    return settings && { id: settings[ID] };
  }

  /** Records that the steps before the migrations are done, and that the services must initialise it. */
  async filling(): Promise<void> {
    await this.#databases.set(STAGE, "filling");
  }

  /** Records that the database is complete. */
  async whole(): Promise<void> {
    await this.#databases.reset(STAGE);
  }

  /**
   * Applies pending migrations and seeds, and reports the result. A failing file is a notice, not an error.
   * @param before the steps before the migrations: done, due, or due again because the start that created the
   * database was interrupted.
   * @param all also the files after the version that the last reset ended with, from now on
   * @throws OtherBranch
   */
  async migrate(
    before: "done" | "due" | "resumed" = "done",
    { all = false }: { all?: boolean } = {},
  ): Promise<MigrationOutcome> {
    if (before === "done") requireOwnBranch(this.#config.projectFolder);
    const database = this.#cluster.database(DATABASE);
    const outcome: MigrationOutcome = { applied: [], replaced: [], seeded: [], failed: undefined };
    const differences: Difference[] = [];
    const fresh = before !== "done";
    const created: Migration[] = [];
    const applying: Applying = {
      applied: (migration) => {
        outcome.applied.push(migration.path);
        created.push(migration);
      },
      differs: (difference) => void differences.push(difference),
      prepared: () => this.#done("roles"),
      fresh,
      strict: this.#config.strict ?? false,
      resumed: before !== "due",
    };
    let pending: string[] = [];
    /** Whether a file ran: `ensure` has looked at the database before. */
    let changed = fresh;
    try {
      if (all) await this.#databases.reset(LAST);
      const state = await migrationState(database, this.#config);
      // Another branch may have been checked out while the files were read.
      if (before === "done") requireOwnBranch(this.#config.projectFolder);
      const last = (await this.#databases.read()).get(DATABASE)?.[LAST];
      const held = last === undefined ? [] : written(state.pending).filter(({ version }) => version > last);
      this.#report(state, held);
      await applyReplacements(database, state.replacements);
      for (const { migration, removed } of state.replacements) {
        outcome.replaced.push(migration.path);
        this.#notify({ kind: "replaced", file: migration.path, versions: removed });
      }
      const files = written(state.pending).filter((file) => !held.includes(file));
      pending = files.map(({ path }) => path);
      applying.folder = readMigrations(this.#config);
      applying.beside = () => otherSqlFiles(this.#config);
      const due = await this.#due();
      changed ||= pending.length > 0 || due.size > 0;
      if (fresh) {
        await prepareProject(database, this.#config, files, applying);
      } else {
        await ensureImplied(database, impliedBy(this.#config), applying.differs);
        if (due.has("roles")) {
          await applyRoles(database, this.#config, applying);
          await this.#done("roles");
        }
        await applyMigrations(database, files, applying);
      }
      if (changed) await this.#resetLockouts();
      if (fresh || due.has("seeds") || !(await this.#everSeeded())) {
        await applySeeds(database, this.#config, applying, outcome.seeded);
        await this.#done("seeds");
      }
    } catch (error) {
      if (!(error instanceof ProjectFileError)) throw error;
      outcome.failed = error;
    }
    if (changed) await this.#resetLockouts();
    const { applied, seeded, failed } = outcome;
    this.#failed = failed;
    if (applied.length > 0) this.#notify({ kind: "applied", files: applied });
    if (fresh && this.#config.api.auto_expose_new_tables === undefined && (await this.#hasTables())) {
      this.#notify({ kind: "exposure" });
    }
    this.#tellExtensions(created);
    if (seeded.length > 0) this.#notify({ kind: "seeded", files: seeded });
    if (differences.length > 0) this.#notify({ kind: "differs", differences });
    if (failed) {
      const later = pending.filter((path) => !applied.includes(path) && path !== failed.file);
      // The files that would protect them may be among those that wait.
      const unprotected = await unprotectedTables(database, this.#config.api.schemas);
      const seed = seedFiles(this.#config).length > 0;
      this.#notify({ kind: "failed", error: failed, later, seed, unprotected });
    }
    return outcome;
  }

  async #resetLockouts(): Promise<void> {
    const undone = await resetLockouts(this.#cluster, DATABASE);
    if (undone.length > 0) this.#notify({ kind: "locked-out", statements: undone });
  }

  async #disableUnsafeObjects(): Promise<void> {
    const objects = await disableUnsafeObjects(this.#cluster.database(DATABASE));
    if (objects.length > 0) this.#notify({ kind: "disabled", objects });
  }

  /** Reports which extensions of these files are not the real ones here. */
  #tellExtensions(files: readonly { path: string; sql: string }[]): void {
    const uses = weakExtensions(files);
    if (uses.length > 0) this.#notify({ kind: "extensions", uses });
  }

  /**
   * Builds a new database from the project's files, next to the current one. @returns its id.
   * @param lastMigration the version that it ends with; later files then wait until they are asked for
   * @throws ProjectFileError
   */
  async buildNext(seed = true, lastMigration?: string): Promise<string> {
    requireOwnBranch(this.#config.projectFolder);
    await this.#resetLockouts();
    const whole = seed ? this.#config : withoutSeed(this.#config);
    const config = lastMigration === undefined ? whole : { ...whole, lastMigration };
    const template = await ensureTemplate(this.#cluster, config);
    // Another branch may have been checked out while the files were read.
    requireOwnBranch(this.#config.projectFolder);
    await dropDatabase(this.#cluster, NEXT);
    const settings: Record<string, string> = {
      ...this.#settings("filling"),
      ...(lastMigration === undefined ? {} : { [LAST]: lastMigration }),
    };
    await cloneDatabase(this.#cluster, template, NEXT, settings);
    // Otherwise the next start would run the seed.
    if (!seed) await this.#cluster.database(NEXT).query("postgres", SEED_HISTORY);
    await forgetTemplates(this.#cluster, template);
    return settings[ID] ?? "";
  }

  /** Puts the database of `buildNext` in place of the current one, which is renamed. */
  async swapIn(): Promise<void> {
    await dropDatabase(this.#cluster, PREVIOUS);
    await this.#cluster.release(DATABASE);
    await this.#databases.rename([
      [DATABASE, PREVIOUS],
      [NEXT, DATABASE],
    ]);
    this.#lastReport = "";
    this.#failed = undefined;
  }

  /** Undoes `swapIn`, as far as it got. @returns the id of the database in place. */
  async swapBack(): Promise<string> {
    if ((await this.#databases.read()).has(PREVIOUS)) {
      await this.#cluster.release(DATABASE);
      await this.#databases.rename([
        [DATABASE, NEXT],
        [PREVIOUS, DATABASE],
      ]);
    }
    return (await this.#databases.read()).get(DATABASE)?.[ID] ?? "";
  }

  /** Removes the replaced database. Only once the one in use is complete. */
  async forgetPrevious(): Promise<void> {
    await dropDatabase(this.#cluster, PREVIOUS);
    await dropDatabase(this.#cluster, NEXT);
  }

  /** Whether a stored object has one of these versions. */
  async owns(versions: readonly string[]): Promise<boolean> {
    const { rows } = await this.#cluster
      .database(DATABASE)
      .query("supabase_storage_admin", "select 1 from storage.objects where version = any ($1) limit 1", [
        versions,
      ]);
    return rows.length > 0;
  }

  /** Number of stored objects. */
  async storedObjects(): Promise<number> {
    const { rows } = await this.#cluster
      .database(DATABASE)
      .query<{ count: string }>("supabase_storage_admin", "select count(*) as count from storage.objects");
    return Number(rows[0]?.count ?? 0);
  }

  async #due(): Promise<Set<string>> {
    return new Set((await this.#databases.read()).get(DATABASE)?.[DUE]?.split(" ") ?? []);
  }

  async #done(one: "roles" | "seeds"): Promise<void> {
    const due = await this.#due();
    if (due.delete(one)) await this.#databases.set(DUE, [...due].join(" "));
  }

  #settings(stage: "making" | "filling"): Record<string, string> {
    const base = baseSetting();
    return {
      [base.name]: base.value,
      [RELEASE_SETTING]: String(newestRelease()),
      [ID]: randomUUID(),
      [STAGE]: stage,
      ...(stage === "making" ? { [DUE]: "roles seeds" } : {}),
      "app.settings.jwt_secret": this.#config.auth.jwt_secret,
      "app.settings.jwt_exp": String(this.#config.auth.jwt_expiry),
    };
  }

  #report(state: MigrationState, held: readonly Migration[]): void {
    const { edited, removed, skipped } = state;
    const patterns = unmatchedSeedPatterns(this.#config);
    const files = held.map(({ path }) => path);
    const key = JSON.stringify([edited, removed, skipped, patterns, files]);
    if (key === this.#lastReport) return;
    this.#lastReport = key;
    if (skipped.length > 0) this.#notify({ kind: "skipped", files: skipped });
    if (patterns.length > 0) this.#notify({ kind: "unmatched", patterns });
    if (edited.length > 0) this.#notify({ kind: "edited", files: edited.map((migration) => migration.path) });
    if (removed.length > 0) this.#notify({ kind: "removed", versions: removed });
    if (files.length > 0) this.#notify({ kind: "held", files });
  }

  async #hasTables(): Promise<boolean> {
    const { rows } = await this.#cluster
      .database(DATABASE)
      .query<{ found: boolean }>(
        "postgres",
        "select exists (select from pg_catalog.pg_tables where schemaname = 'public') as found",
      );
    return rows[0]?.found === true;
  }

  async #everSeeded(): Promise<boolean> {
    const { rows } = await this.#cluster
      .database(DATABASE)
      .query<{ seeded: string | null }>(
        "postgres",
        "select to_regclass('supabase_migrations.seed_files') as seeded",
      );
    return rows[0]?.seeded !== null;
  }
}

function withoutSeed(config: Config): Config {
  return { ...config, db: { ...config.db, seed: { ...config.db.seed, enabled: false } } };
}
