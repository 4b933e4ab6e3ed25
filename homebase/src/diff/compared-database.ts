/** Owns one of the two databases of a comparison: its sessions, and its catalogue, read once until it changes. */
import type { ResolvedProfile } from "@supabase/pg-delta";
import pg from "pg";
import { type Login, withLogin } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";
import { ScramClient } from "../postgres/scram-client.ts";
import { readColumns } from "./column-order.ts";
import { readIdentityGrants } from "./identity-grants.ts";
import { readTree } from "./moved-tables.ts";
import { readNotStated } from "./not-stated.ts";
import { readObjectNotes } from "./object-notes.ts";
import { readOtherObjects, readSignatures } from "./other-kinds.ts";
import { readPublicOwner, readSchemaNames } from "./own-schemas.ts";
import { readPartitionIndexes } from "./partition-indexes.ts";
import { readTableSettings } from "./table-settings.ts";

/** A database outside the local clusters, e.g. a hosted project's. */
export interface RemoteDatabase {
  connection: pg.ClientConfig;
  /** Run first on each connection. */
  prepare(client: pg.ClientBase): Promise<void>;
}

/** A database as pg-delta reads it. */
type Extracted = Awaited<ReturnType<ResolvedProfile["extract"]>>;
/** The parts that pg-delta does not compare: the order of a table's columns, some settings of tables, and names that it leaves out. */
type Shape = Awaited<ReturnType<typeof readShape>>;

/** Postgres writes times for the session's zone, which a database may set: both are compared in the same one. */
const IN_ONE_ZONE = "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'";

export class ComparedDatabase {
  /** Its sessions stay open between two reads: a new session has to fill its caches of the catalogue first. */
  readonly pool: pg.Pool;
  readonly #login: Login;
  readonly #schemas: readonly string[] | undefined;
  #shape: Promise<Shape> | undefined;
  #extracted: Promise<Extracted> | undefined;

  /** @param schemas only what is in these; all without */
  constructor(database: Database | RemoteDatabase, schemas?: readonly string[]) {
    const remote = "prepare" in database ? database : undefined;
    this.#login = remote?.connection ?? (database as Database).connection("postgres");
    this.#schemas = schemas;
    const onConnect = async (client: pg.ClientBase) => {
      await remote?.prepare(client);
      await client.query(IN_ONE_ZONE);
    };
    this.pool = new pg.Pool({ ...this.#login, Client: ScramClient, max: 2, onConnect } as pg.PoolConfig);
    // Without listeners a connection that the server ends would end this process.
    this.pool.on("error", () => {});
    this.pool.on("connect", (client) => client.on("error", () => {}));
  }

  shape(): Promise<Shape> {
    this.#shape ??= this.#readShape();
    return this.#shape;
  }

  /** The profiles of one comparison differ in what they compare, and not in what they read. */
  extracted(profile: ResolvedProfile): Promise<Extracted> {
    this.#extracted ??= profile.extract(this.pool, { redactSecrets: false });
    return this.#extracted;
  }

  /** Forgets both readings, because statements change the database. */
  changed(): void {
    this.#shape = undefined;
    this.#extracted = undefined;
  }

  async #readShape(): Promise<Shape> {
    const client = await withLogin(this.#login, () => this.pool.connect());
    let whole = false;
    try {
      const shape = await readShape(client, this.#schemas);
      whole = true;
      return shape;
    } finally {
      client.release(!whole);
    }
  }
}

/** Calls `work` with both databases of a comparison, whose sessions are closed afterwards. */
export async function withCompared<T>(
  [from, to]: readonly [Database, Database | RemoteDatabase],
  schemas: readonly string[] | undefined,
  work: (from: ComparedDatabase, to: ComparedDatabase) => Promise<T>,
): Promise<T> {
  const both = [new ComparedDatabase(from, schemas), new ComparedDatabase(to, schemas)] as const;
  try {
    return await work(...both);
  } finally {
    await Promise.all(both.map(({ pool }) => pool.end()));
  }
}

async function readShape(client: pg.ClientBase, schemas?: readonly string[]) {
  return {
    columns: await readColumns(client),
    tree: await readTree(client, schemas),
    settings: await readTableSettings(client, schemas),
    notes: await readObjectNotes(client, schemas),
    partitionIndexes: await readPartitionIndexes(client, schemas),
    identityGrants: await readIdentityGrants(client, schemas),
    notStated: await readNotStated(client),
    publicOwner: await readPublicOwner(client),
    others: await readOtherObjects(client, schemas),
    schemaNames: await readSchemaNames(client),
    signatures: await readSignatures(client),
  };
}
