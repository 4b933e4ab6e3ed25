/** Owns Backends in processes of their own, for tests that kill them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testCluster } from "../../src/testing/cluster.ts";
import type { TestBackend } from "../../src/testing/index.ts";
import type { ServedBackend } from "./served-backend.ts";

const PROJECT = join(import.meta.dirname, "project");

/** Serves a Backend's database with a storage folder of its own, again and again. */
export class ServerProcess {
  readonly folder: string;
  url = "";
  readonly #backend: TestBackend;
  readonly #port: number;
  #child: ChildProcess | undefined;

  private constructor(backend: TestBackend, folder: string, port: number) {
    this.#backend = backend;
    this.folder = folder;
    this.#port = port;
  }

  /** @param port the same for every start; 0 takes another each time. */
  static async start(backend: TestBackend, port = 0): Promise<ServerProcess> {
    const folder = await mkdtemp(join(tmpdir(), "homebase-crash-"));
    const server = new ServerProcess(backend, folder, port);
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
      port: this.#port,
    };
    const script = join(import.meta.dirname, "served-backend.ts");
    const child = spawn(process.execPath, [script, JSON.stringify(given)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    this.url = line.toString().trim();
  }

  /** Ends it as a loss of power would. */
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
