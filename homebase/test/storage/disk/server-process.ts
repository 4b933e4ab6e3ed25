/** Owns Backends in separate processes, for tests that kill them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestBackend } from "../../../src/testing/index.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import type { ServedBackend } from "./served-backend.ts";

const PROJECT = join(import.meta.dirname, "..", "project");

export interface ServerOptions {
  /** A fixed port; by default each start uses another. */
  port?: number;
  /** Storage folder; by default a new one. */
  folder?: string;
  /** Maximum file size in blocks of 512 bytes. */
  blocks?: number;
}

/** Serves a Backend's database with a storage folder, repeatedly. */
export class ServerProcess {
  readonly folder: string;
  url = "";
  readonly #backend: TestBackend;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;

  private constructor(backend: TestBackend, folder: string, options: ServerOptions) {
    this.#backend = backend;
    this.folder = folder;
    this.#options = options;
  }

  static async start(backend: TestBackend, options: ServerOptions = {}): Promise<ServerProcess> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "homebase-crash-")));
    const server = new ServerProcess(backend, folder, options);
    await server.start();
    return server;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.killed;
  }

  async start(): Promise<void> {
    const given: ServedBackend = {
      address: (await testCluster(PROJECT)).address,
      databaseName: this.#backend.database.name,
      storageFolder: this.folder,
      projectFolder: PROJECT,
      port: this.#options.port ?? 0,
    };
    const script = join(import.meta.dirname, "served-backend.ts");
    const { blocks } = this.#options;
    const limit = blocks === undefined ? "" : `ulimit -f ${blocks}; `;
    const command = `${limit}exec "$0" "$@"`;
    const child = spawn("sh", ["-c", command, process.execPath, script, JSON.stringify(given)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    this.url = line.toString().trim();
  }

  /** Simulates a power failure. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
