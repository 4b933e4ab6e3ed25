/**
 * Owns the branches of a stand-in for hosted: each is a project of its own, with its reference, keys, database and
 * ports, that begins with its parent's migrations and functions, and without its data.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MetaError } from "../../src/catalog/errors.ts";
import { dropLoginRoles } from "./login-role.ts";
import { replayMigrations } from "./migrations.ts";
import type { HostedProject } from "./stand-in.ts";

/** A branch and its settings. */
export interface Branch {
  readonly id: string;
  readonly project: HostedProject;
  readonly parentRef: string;
  readonly createdAt: string;
  name: string;
  gitBranch: string | undefined;
  persistent: boolean;
  updatedAt: string;
  status: "MIGRATIONS_FAILED" | "FUNCTIONS_DEPLOYED";
}

/** The branches of one project. */
export class Branches {
  readonly parent: HostedProject;
  readonly #open = new Map<string, Branch & { folder: string }>();
  /** Names of branches that are being made. */
  readonly #coming = new Set<string>();

  constructor(parent: HostedProject) {
    this.parent = parent;
  }

  list(): Branch[] {
    return [...this.#open.values()];
  }

  /** By its id or its project's reference. */
  find(idOrRef: string): Branch | undefined {
    return this.#open.get(idOrRef) ?? this.list().find(({ project }) => project.ref === idOrRef);
  }

  /** The parent or a branch's project. */
  project(ref: string): HostedProject | undefined {
    return ref === this.parent.ref ? this.parent : this.find(ref)?.project;
  }

  /** Opens a project with its parent's migrations. @throws MetaError 409 for a name that is taken */
  async create(
    wanted: Pick<Branch, "name" | "gitBranch" | "persistent">,
    signal: AbortSignal,
  ): Promise<Branch> {
    const { name } = wanted;
    if (this.#coming.has(name) || this.list().some((one) => one.name === name))
      throw new MetaError(409, `A branch named ${name} already exists.`);
    this.#coming.add(name);
    try {
      return await this.#create(wanted, signal);
    } finally {
      this.#coming.delete(name);
    }
  }

  async #create(
    { name, gitBranch, persistent }: Pick<Branch, "name" | "gitBranch" | "persistent">,
    signal: AbortSignal,
  ): Promise<Branch> {
    const folder = await mkdtemp(join(tmpdir(), "homebase-hosted-branch-"));
    const project = await this.parent.openBranch(folder).catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
    const now = new Date().toISOString();
    const opened = {
      id: randomUUID(),
      project,
      parentRef: this.parent.ref,
      createdAt: now,
      updatedAt: now,
      name,
      gitBranch,
      persistent,
      status: "FUNCTIONS_DEPLOYED" as const,
      folder,
    };
    this.#open.set(opened.id, opened);
    await this.#replay(opened, this.parent, project, { signal }).catch(async (error: unknown) => {
      await this.remove(opened);
      throw error;
    });
    return opened;
  }

  /** Applies to the parent what only the branch has. @throws MetaError 400 for a migration that fails */
  async merge(branch: Branch, signal: AbortSignal): Promise<void> {
    await replayMigrations(branch.project, this.parent, { signal });
    if (this.parent.functions.adopt(branch.project.functions)) await this.parent.apply();
  }

  /** Applies to the branch what its parent has got since. */
  push(branch: Branch, signal: AbortSignal): Promise<void> {
    return this.#replay(branch, this.parent, branch.project, { signal });
  }

  /** A new database with the parent's migrations, all of them or up to a version. */
  async reset(branch: Branch, signal: AbortSignal, until?: string): Promise<void> {
    await branch.project.replaceDatabase();
    await this.#replay(branch, this.parent, branch.project, {
      signal,
      ...(until === undefined ? {} : { until }),
    });
  }

  async remove(branch: Branch): Promise<void> {
    const folder = this.#open.get(branch.id)?.folder;
    this.#open.delete(branch.id);
    await branch.project.close();
    await dropLoginRoles(branch.project);
    if (folder) await rm(folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const branch of this.list()) await this.remove(branch);
  }

  /** A migration that fails leaves the branch, with that status, as on hosted. */
  async #replay(
    branch: Branch,
    from: HostedProject,
    to: HostedProject,
    options: { signal: AbortSignal; until?: string },
  ): Promise<void> {
    branch.updatedAt = new Date().toISOString();
    try {
      await replayMigrations(from, to, options);
      if (to.functions.adopt(from.functions)) await to.apply();
      branch.status = "FUNCTIONS_DEPLOYED";
    } catch (error) {
      if (!(error instanceof MetaError)) throw error;
      branch.status = "MIGRATIONS_FAILED";
    }
  }
}
