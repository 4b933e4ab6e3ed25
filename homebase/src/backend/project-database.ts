/**
 * Owns the developer's database: made from the base, brought up to date in place, rebuilt on reset; and
 * the notices about what happened to it.
 */
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster-client.ts";
import {
  applyMigrations,
  applySeeds,
  type Migration,
  type MigrationState,
  migrationState,
  SqlFileError,
} from "../postgres/migrations.ts";
import { splitStatements } from "../postgres/statements.ts";
import {
  baseSetting,
  cloneDatabase,
  createFromBase,
  dropDatabase,
  ensureTemplate,
  prepareProject,
} from "../postgres/template.ts";

/** Its name, as everywhere in Supabase. */
export const DATABASE = "postgres";

/** What happened to the database, or stands in the way of something. */
export type Notice =
  | { kind: "applied"; files: string[] }
  | { kind: "seeded"; files: string[] }
  | { kind: "failed"; error: SqlFileError }
  | { kind: "edited"; files: string[] }
  | { kind: "removed"; versions: string[] }
  | { kind: "other-base" }
  | { kind: "restarted"; reason: string };

/** See the file's head. */
export class ProjectDatabase {
  readonly #cluster: ClusterClient;
  readonly #config: Config;
  readonly #notify: (notice: Notice) => void;
  /** What was last said of edited and removed files: it is not repeated at every save. */
  #told = "";

  constructor(cluster: ClusterClient, config: Config, onNotice: (notice: Notice) => void = () => {}) {
    this.#cluster = cluster;
    this.#config = config;
    this.#notify = onNotice;
  }

  /** Makes the database when the cluster has none. Returns whether it did. */
  async ensure(): Promise<boolean> {
    const present = await this.#cluster.admin((client) =>
      client.query("select 1 from pg_database where datname = $1", [DATABASE]),
    );
    if (present.rows.length > 0) {
      await this.#lookAtBase();
      return false;
    }
    await createFromBase(this.#cluster, DATABASE, this.#settings());
    return true;
  }

  /**
   * Applies what is pending, seeds what was never seeded, and tells what it did or met. A file that
   * fails is a notice, not an error.
   * @param fresh whether the database was just made, so that what precedes migrations is due too.
   */
  async migrate(fresh: boolean): Promise<void> {
    const database = this.#cluster.database(DATABASE);
    const applied: string[] = [];
    const note = (migration: Migration) => void applied.push(migration.path);
    try {
      const state = await migrationState(database, this.#config);
      const pending = state.pending.filter(hasSubstance);
      if (fresh) await prepareProject(database, this.#config, pending, note);
      else await applyMigrations(database, pending, note);
      if (applied.length > 0) this.#notify({ kind: "applied", files: applied });
      if (!(await this.#everSeeded())) {
        const seeded = await applySeeds(database, this.#config);
        if (seeded.length > 0) this.#notify({ kind: "seeded", files: seeded });
      }
      this.#report(state);
    } catch (error) {
      if (!(error instanceof SqlFileError)) throw error;
      if (applied.length > 0) this.#notify({ kind: "applied", files: applied });
      this.#notify({ kind: "failed", error });
    }
  }

  /**
   * Builds, beside the present database, the one that the project's files describe.
   * @returns its name.
   * @throws SqlFileError
   */
  async buildNext(): Promise<string> {
    const template = await ensureTemplate(this.#cluster, this.#config);
    const next = `${DATABASE}_next`;
    await dropDatabase(this.#cluster, next);
    await cloneDatabase(this.#cluster, template, next, this.#settings());
    return next;
  }

  /** Puts a database that `buildNext` built in the present one's place. Nobody may be using either. */
  async swapIn(next: string): Promise<void> {
    await dropDatabase(this.#cluster, DATABASE);
    await this.#cluster.admin((client) => client.query(`alter database ${next} rename to ${DATABASE}`));
    this.#told = "";
  }

  /** What the services need of auth, storage and realtime comes with the database and is not brought up to date. */
  async #lookAtBase(): Promise<void> {
    const { name, value } = baseSetting();
    const { rows } = await this.#cluster
      .database(DATABASE)
      .query<{ base: string | null }>("postgres", "select current_setting($1, true) as base", [name]);
    if (rows[0]?.base !== value) this.#notify({ kind: "other-base" });
  }

  #settings(): Record<string, string> {
    const base = baseSetting();
    return {
      [base.name]: base.value,
      "app.settings.jwt_secret": this.#config.auth.jwt_secret,
      "app.settings.jwt_exp": String(this.#config.auth.jwt_expiry),
    };
  }

  #report(state: MigrationState): void {
    const { edited, removed } = state;
    const key = JSON.stringify([edited, removed]);
    if (key === this.#told) return;
    this.#told = key;
    if (edited.length > 0) this.#notify({ kind: "edited", files: edited.map((migration) => migration.path) });
    if (removed.length > 0) this.#notify({ kind: "removed", versions: removed });
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

/** `supabase migration new` makes an empty file: it is not applied until there is something in it. */
function hasSubstance(migration: Migration): boolean {
  return splitStatements(migration.sql).length > 0;
}
