/**
 * Owns a stand-in for one hosted project: a database like a new project's, the services with hosted's
 * settings and their own keys, and the state that the Management API reads and changes.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JWK } from "jose";
import { Backend } from "../../src/backend/backend.ts";
import type { BackendWing } from "../../src/backend/wing.ts";
import { MetaError } from "../../src/catalog/errors.ts";
import { Sessions } from "../../src/catalog/session.ts";
import { type Config, loadConfig } from "../../src/config/config.ts";
import {
  API_SETTINGS,
  AUTH_SETTINGS,
  readPath,
  writePath,
} from "../../src/config/hosted/management-settings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureBase } from "../../src/postgres/cluster/template-databases.ts";
import type { Database } from "../../src/postgres/database.ts";
import type { OutgoingMail, SendMail } from "../../src/service-context.ts";
import { Keys } from "../../src/tokens/keys.ts";
import { newAuthSettings } from "./auth-fields.ts";
import { DatabaseFront } from "./database/front.ts";
import { ProjectLogs } from "./logs/store.ts";
import { madeUpRef, newSigningKey, opaqueKey } from "./project-keys.ts";
import { DeployedFunctions } from "./uploaded-functions.ts";

export interface HostedOptions {
  cluster: ClusterClient;
  /** Created new; on a cluster of its own it is `postgres`, as on hosted. */
  databaseName: string;
  /** An empty folder for uploaded functions, templates and objects. */
  folder: string;
  /** Twenty lower-case letters; random by default. */
  ref?: string;
  /** Port of the project's API; 0 lets the system choose. */
  port?: number;
  /** Port of the database's address; 0 lets the system choose. */
  databasePort?: number;
  /** Whether the legacy keys (JWTs) are valid in addition to the publishable and secret key. */
  legacyKeys?: boolean;
  /** Destination of mails; by default they are stored in `mails`. */
  sendMail?: SendMail;
  log?: Log;
  /** Where `log` also writes to, if something of the project has been logged before; by default a new one. */
  logs?: ProjectLogs;
  /** What its services have besides the core. */
  wings: readonly BackendWing[];
}

/** Storage settings in the format of `GET /v1/projects/{ref}/config/storage`. */
export interface StorageSettings {
  fileSizeLimit: number;
  features: {
    imageTransformation: { enabled: boolean };
    s3Protocol: { enabled: boolean };
    vectorBuckets: { enabled: boolean; maxBuckets: number; maxIndexes: number };
  };
}

/** Projects have hosts below it: a name that no resolver may know (RFC 6761). */
export const PROJECT_HOST = "standin.invalid";
/** supabase.com/docs/guides/platform/http-status-codes */
const PAUSED_STATUS = 540;
/** The error message of calls that need a running project. */
export const PAUSED = "The project is paused. Restore it first.";
/** The networks that may reach the database. */
export type Cidrs = Record<"v4" | "v6", string[]>;
const FREE_PLAN_FILE_LIMIT = 50 * 1024 ** 2;
/** Only the variables that Deno and npm need; a project's variables are never passed on. */
const PASSED =
  /^(HOME|PATH|TMPDIR|DENO_DIR|HTTPS?_PROXY|NO_PROXY|NPM_CONFIG_REGISTRY|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|DENO_TLS_CA_STORE|DENO_CERT|JSR_URL)$/i;

/** A stand-in for one hosted project. */
export class HostedProject {
  readonly ref: string;
  readonly createdAt = new Date().toISOString();
  readonly config: Config;
  readonly keys: Keys;
  readonly legacyKeys: boolean;
  /** Sent mails, oldest first, unless they have another destination. */
  readonly mails: OutgoingMail[] = [];
  readonly functions: DeployedFunctions;
  /** The log of the project's services. */
  readonly logs: ProjectLogs;
  /** Settings in the Management API's names. */
  readonly auth = newAuthSettings();
  readonly api: Record<string, unknown> = {
    db_schema: "public,graphql_public",
    db_extra_search_path: "public,extensions",
    max_rows: 1000,
  };
  readonly storage: StorageSettings = {
    fileSizeLimit: FREE_PLAN_FILE_LIMIT,
    features: {
      imageTransformation: { enabled: false },
      s3Protocol: { enabled: true },
      vectorBuckets: { enabled: true, maxBuckets: 10, maxIndexes: 5 },
    },
  };
  readonly postgresSettings: Record<string, unknown> = {};
  readonly secrets = new Map<string, { value: string; updatedAt: string }>();
  sslEnforced = false;
  allowedCidrs: Cidrs & { before?: Cidrs; at?: string } = { v4: ["0.0.0.0/0"], v6: ["::/0"] };
  readonly signingKey: JWK;
  readonly #options: HostedOptions;
  #backend: Backend | undefined;
  #front: DatabaseFront | undefined;
  #sessions: { readWrite: Sessions; readOnly: Sessions } | undefined;
  #restarting: Promise<void> = Promise.resolve();
  #paused = false;

  private constructor(options: HostedOptions) {
    this.#options = options;
    this.ref = options.ref ?? madeUpRef();
    this.legacyKeys = options.legacyKeys ?? false;
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));
    mkdirSync(join(options.folder, "templates"), { recursive: true });
    this.config = loadConfig({
      from: options.folder,
      environment: { ...environment, SUPABASE_WORKDIR: options.folder },
    });
    this.config.project_id = this.ref;
    this.signingKey = newSigningKey();
    this.keys = new Keys({
      jwtSecret: randomBytes(40).toString("base64url"),
      publishableKey: opaqueKey("publishable"),
      secretKey: opaqueKey("secret"),
      signingKeys: [this.signingKey],
      legacySecret: true,
      opaqueKeysOnly: !this.legacyKeys,
    });
    this.functions = new DeployedFunctions(join(options.folder, "functions"));
    this.logs = options.logs ?? new ProjectLogs();
    this.logs.describe({ ref: this.ref, functionOf: (slug) => this.functions.get(slug) });
    this.#applySettings();
  }

  /** Creates the database and opens the project's API. */
  static async open(options: HostedOptions): Promise<HostedProject> {
    const project = new HostedProject(options);
    try {
      await project.#open();
      return project;
    } catch (error) {
      await project.#front?.close();
      await project.#backend?.close();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { cluster, databaseName, folder, sendMail, port, databasePort, log = silentLog } = this.#options;
    this.#front = await DatabaseFront.open({
      postgresPort: cluster.address.port,
      ref: this.ref,
      database: databaseName,
      tlsRequired: () => this.sslEnforced,
      paused: () => this.#paused,
      port: databasePort ?? 0,
    });
    await this.#createDatabase();
    this.#backend = await Backend.open({
      cluster,
      databaseName,
      config: this.config,
      keys: this.keys,
      storageFolder: join(folder, "objects"),
      sendMail: sendMail ?? (async (mail) => void this.mails.push(mail)),
      clock: systemClock,
      log: this.logs.recording(log),
      port: port ?? 0,
      wings: this.#options.wings,
      proxiedUrls: [`https://${this.ref}.${PROJECT_HOST}`],
    });
    this.#backend.requests.onRecord = (record) => this.logs.addRequest(record);
    this.#openSessionsOf(this.#backend.database);
    await this.#backend.prepare();
  }

  async #createDatabase(): Promise<void> {
    const { cluster, databaseName } = this.#options;
    await cloneDatabase(cluster, await ensureBase(cluster), databaseName, {
      "app.settings.jwt_exp": String(this.auth.jwt_exp),
    });
  }

  #openSessionsOf(database: Database): void {
    this.#sessions = {
      readWrite: new Sessions(database),
      readOnly: new Sessions(database, () => ({
        ...database.connection("supabase_read_only_user"),
        options: "-c default_transaction_read_only=on",
      })),
    };
  }

  async #closeSessions(): Promise<void> {
    const sessions = this.#sessions;
    this.#sessions = undefined;
    await sessions?.readWrite.close();
    await sessions?.readOnly.close();
  }

  /** Opens another project beside it, with keys, a database and ports of its own. @param folder empty */
  openBranch(folder: string): Promise<HostedProject> {
    const { cluster, sendMail, log, wings } = this.#options;
    return HostedProject.open({
      wings,
      cluster,
      databaseName: `hosted_branch_${randomUUID().replaceAll("-", "")}`,
      folder,
      legacyKeys: this.legacyKeys,
      sendMail,
      log,
    });
  }

  /** In the Management API's words. */
  get status(): "ACTIVE_HEALTHY" | "INACTIVE" {
    return this.#paused ? "INACTIVE" : "ACTIVE_HEALTHY";
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Stops the services and ends every connection; the data stays. */
  pause(): Promise<void> {
    return this.#inTurn(async () => {
      this.#paused = true;
      this.#openFront.disconnect();
      await this.#closeSessions();
      await this.backend.pause(() => ({
        status: PAUSED_STATUS,
        headers: { "content-type": "text/plain", "access-control-allow-origin": "*" },
        body: "Project paused",
      }));
    });
  }

  /** Starts the services again after `pause`. */
  resume(): Promise<void> {
    return this.#inTurn(async () => {
      await this.backend.resume();
      this.#openSessionsOf(this.database);
      this.#paused = false;
    });
  }

  /** Ends every connection and starts the services again. */
  async restart(): Promise<void> {
    this.#openFront.disconnect();
    await this.apply();
  }

  /** Puts a new project's database in the place of its own. */
  replaceDatabase(): Promise<void> {
    const { cluster, databaseName } = this.#options;
    return this.#inTurn(async () => {
      this.#openFront.disconnect();
      await this.#closeSessions();
      await this.backend.replaceDatabase(async () => {
        await dropDatabase(cluster, databaseName);
        await this.#createDatabase();
        return databaseName;
      });
      this.#openSessionsOf(this.database);
      await this.backend.prepare();
    });
  }

  /** Stops and starts of the services run one after the other. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#restarting.then(work);
    this.#restarting = done.catch(() => undefined);
    return done;
  }

  /** The project's API, without trailing slash. */
  get url(): string {
    return this.backend.url;
  }

  get backend(): Backend {
    if (!this.#backend) throw new Error("The project is not open.");
    return this.#backend;
  }

  get database(): Database {
    return this.backend.database;
  }

  /** For the Management API's statements as role postgres. */
  get sessions(): Sessions {
    return this.#openSessions.readWrite;
  }

  /** For statements that only read: as the role that has no right to write. */
  get readOnlySessions(): Sessions {
    return this.#openSessions.readOnly;
  }

  get #openSessions(): { readWrite: Sessions; readOnly: Sessions } {
    if (this.#paused) throw new MetaError(400, PAUSED);
    if (!this.#sessions) throw new Error("The project is not open.");
    return this.#sessions;
  }

  /** Where programs reach the database: with or without TLS, by a role's name or the pooler's (`role.REF`). */
  get databaseAddress(): { host: string; port: number; name: string } {
    return { host: "127.0.0.1", port: this.#openFront.port, name: this.#options.databaseName };
  }

  /** The certificate of the database's TLS, PEM. It is its own authority. */
  get databaseCertificate(): string {
    return this.#openFront.certificate;
  }

  get #openFront(): DatabaseFront {
    if (!this.#front) throw new Error("The project is not open.");
    return this.#front;
  }

  get cluster(): ClusterClient {
    return this.#options.cluster;
  }

  /** Applies changed settings: restarts the services on the same database. */
  apply(): Promise<void> {
    this.#applySettings();
    return this.#inTurn(async () => {
      // A paused project takes its settings when it is restored.
      if (!this.#paused) await this.backend.replaceDatabase(async () => this.#options.databaseName);
    });
  }

  /** Closes the API and removes the database. */
  async close(): Promise<void> {
    await this.#closeSessions();
    await this.#front?.close();
    await this.#backend?.close();
    await dropDatabase(this.#options.cluster, this.#options.databaseName);
  }

  #applySettings(): void {
    const tree = this.config as unknown as Record<string, unknown>;
    for (const { path, field, file, toConfig } of AUTH_SETTINGS) {
      const value = this.auth[field];
      if (value === null || value === undefined) continue;
      if (!file) writePath(tree, path, toConfig(value));
      else if (value !== "") writePath(tree, path, this.#templateFile(field, String(value)));
    }
    // Without a host the project has no mail server of its own.
    if (!readPath(tree, "auth.email.smtp.host")) writePath(tree, "auth.email.smtp", undefined);
    else writePath(tree, "auth.email.smtp.enabled", true);
    for (const { path, field, toConfig } of API_SETTINGS) writePath(tree, path, toConfig(this.api[field]));
    const { storage, edge_runtime } = this.config;
    storage.file_size_limit = this.storage.fileSizeLimit;
    storage.image_transformation.enabled = this.storage.features.imageTransformation.enabled;
    storage.s3_protocol.enabled = this.storage.features.s3Protocol.enabled;
    const { enabled, maxBuckets, maxIndexes } = this.storage.features.vectorBuckets;
    Object.assign(storage.vector, { enabled, max_buckets: maxBuckets, max_indexes: maxIndexes });
    edge_runtime.secrets = Object.fromEntries([...this.secrets].map(([name, { value }]) => [name, value]));
    this.config.functions = this.functions.configuration();
  }

  #templateFile(field: string, text: string): string {
    const file = join(this.#options.folder, "templates", `${field}.html`);
    writeFileSync(file, text);
    return file;
  }
}
