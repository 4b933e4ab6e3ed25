/**
 * Owns the functions of a hosted project: the uploads, unpacked by version, and the live version of each.
 * Only uploaded files are served (docs/compat/platform.md 5.4).
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { Readable } from "node:stream";
import { Busboy, type BusboyHeaders } from "@fastify/busboy";
import { MetaError } from "../../src/catalog/errors.ts";
import type { FunctionConfig } from "../../src/config/schema.ts";
import { isRecord, recordOf } from "../../src/core/record.ts";
import { modulesOf } from "../../src/functions/modules/graph.ts";

/** A function in the Management API's format. */
export interface FunctionAnswer {
  id: string;
  slug: string;
  name: string;
  status: "ACTIVE";
  version: number;
  created_at: number;
  updated_at: number;
  verify_jwt: boolean;
  import_map: boolean;
  entrypoint_path: string;
  import_map_path?: string;
  ezbr_sha256: string;
}

/** A file of an upload, by its path below the project's root. */
export interface UploadedFile {
  path: string;
  bytes: Buffer;
}

interface Version {
  answer: FunctionAnswer;
  /** The folder used as the project's root. */
  root: string;
  files: UploadedFile[];
  entry: string;
  importMap: string | undefined;
  staticPatterns: string[];
}

const SLUG = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** docs/compat/functions.md 7: hosted's limit of the bundled size. */
const MAX_BYTES = 20 * 1024 ** 2;

/** Errors of a name that is a file and a folder, or too long. */
const UNFIT_NAME = new Set(["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG"]);

/** The functions of a hosted project. */
export class DeployedFunctions {
  readonly #folder: string;
  readonly #live = new Map<string, Version>();
  /** Uploaded with `bundleOnly`, not yet activated: by slug and version. */
  readonly #waiting = new Map<string, Version>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  list(): FunctionAnswer[] {
    return [...this.#live.values()].map(({ answer }) => answer);
  }

  get(slug: string): FunctionAnswer | undefined {
    return this.#live.get(slug)?.answer;
  }

  /** The files of the live version. */
  files(slug: string): UploadedFile[] | undefined {
    return this.#live.get(slug)?.files;
  }

  /** `[functions]` of the configuration for the live versions. */
  configuration(): Record<string, FunctionConfig> {
    return Object.fromEntries(
      [...this.#live].map(([slug, version]) => [
        slug,
        {
          enabled: true,
          verify_jwt: version.answer.verify_jwt,
          entrypoint: join(version.root, version.entry),
          import_map: version.importMap === undefined ? undefined : join(version.root, version.importMap),
          static_files: version.staticPatterns.map((pattern) => join(version.root, pattern)),
          env: {},
        },
      ]),
    );
  }

  /**
   * Stores an upload. @param activate whether it goes live at once; otherwise `activate` does that.
   * @throws MetaError
   */
  async upload(
    slug: string,
    headers: Record<string, unknown>,
    body: Buffer,
    activate: boolean,
  ): Promise<FunctionAnswer> {
    if (!SLUG.test(slug)) throw new MetaError(400, `Function slug is invalid: ${slug}`);
    const { files, metadata } = await readForm(headers, body);
    const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (size > MAX_BYTES) throw new MetaError(413, "Function exceeds the maximum size of 20 MB");
    const entry = within(String(metadata.entrypoint_path ?? ""));
    if (!files.some(({ path }) => path === entry)) {
      throw new MetaError(
        400,
        `Failed to bundle the function (reason: Entrypoint path does not exist - ${entry}).`,
      );
    }
    const live = this.#live.get(slug);
    const number = (live?.answer.version ?? 0) + 1;
    const root = join(this.#folder, slug, `${number}-${randomUUID().slice(0, 8)}`);
    unpack(root, files);
    const given = typeof metadata.import_map_path === "string" ? metadata.import_map_path : "";
    const importMap = given === "" ? undefined : within(given);
    const version: Version = {
      root,
      files,
      entry,
      importMap,
      staticPatterns: Array.isArray(metadata.static_patterns)
        ? metadata.static_patterns.map((one) => within(String(one)))
        : [],
      answer: {
        id: live?.answer.id ?? randomUUID(),
        slug,
        name: typeof metadata.name === "string" ? metadata.name : slug,
        status: "ACTIVE",
        version: number,
        created_at: live?.answer.created_at ?? Date.now(),
        updated_at: Date.now(),
        verify_jwt: typeof metadata.verify_jwt === "boolean" ? metadata.verify_jwt : true,
        import_map: importMap !== undefined,
        entrypoint_path: `file:///${entry}`,
        ...(importMap === undefined ? {} : { import_map_path: `file:///${importMap}` }),
        ezbr_sha256: digest(files),
      },
    };
    this.#refuseMissingModules(version);
    if (activate) this.#put(slug, version);
    else this.#waiting.set(`${slug}@${number}`, version);
    return version.answer;
  }

  /** Activates uploaded versions, all or none. @throws MetaError */
  activate(wanted: unknown): FunctionAnswer[] {
    if (!Array.isArray(wanted)) throw new MetaError(400, "The body must be an array of functions.");
    const versions = wanted.map((one: unknown) => {
      const { slug, version } = recordOf(one);
      const found = this.#waiting.get(`${slug}@${version}`);
      const live = this.#live.get(String(slug));
      if (found) return found;
      if (live?.answer.version === version && live) return live;
      throw new MetaError(400, `There is no upload of function ${slug} with version ${version}.`);
    });
    for (const version of versions) {
      this.#put(version.answer.slug, version);
      this.#waiting.delete(`${version.answer.slug}@${version.answer.version}`);
    }
    return versions.map(({ answer }) => answer);
  }

  /** Takes over the live functions of another project that differ from its own. @returns whether any did. */
  adopt(other: DeployedFunctions): boolean {
    let adopted = false;
    for (const [slug, theirs] of other.#live) {
      const live = this.#live.get(slug);
      const same = (["ezbr_sha256", "verify_jwt", "name"] as const).every(
        (key) => live?.answer[key] === theirs.answer[key],
      );
      if (same) continue;
      const number = (live?.answer.version ?? 0) + 1;
      const root = join(this.#folder, slug, `${number}-${randomUUID().slice(0, 8)}`);
      unpack(root, theirs.files);
      const { id = randomUUID(), created_at = Date.now() } = live?.answer ?? {};
      this.#put(slug, { ...theirs, root, answer: { ...theirs.answer, id, created_at, version: number } });
      adopted = true;
    }
    return adopted;
  }

  /** Changes a live function's settings. */
  change(
    slug: string,
    { verify_jwt, name }: { verify_jwt?: unknown; name?: unknown },
  ): FunctionAnswer | undefined {
    const live = this.#live.get(slug);
    if (!live) return undefined;
    if (typeof verify_jwt === "boolean") live.answer.verify_jwt = verify_jwt;
    if (typeof name === "string") live.answer.name = name;
    live.answer.updated_at = Date.now();
    return live.answer;
  }

  /** @returns whether it existed. */
  remove(slug: string): boolean {
    // Only the name of an uploaded function is the name of a folder here.
    if (!this.#live.delete(slug)) return false;
    rmSync(join(this.#folder, slug), { recursive: true, force: true });
    return true;
  }

  #put(slug: string, version: Version): void {
    version.answer.updated_at = Date.now();
    this.#live.set(slug, version);
  }

  /** Hosted bundles an upload: a missing module fails there, not at the first call. */
  #refuseMissingModules({ root, entry, importMap, answer }: Version): void {
    const { missing } = modulesOf({
      name: answer.slug,
      entry: join(root, entry),
      verifyJwt: true,
      importMap: importMap === undefined ? undefined : { kind: "config", path: join(root, importMap) },
      packageJson: undefined,
      staticFolders: [],
    });
    const [first] = missing;
    if (first === undefined) return;
    const name = first.startsWith(root) ? first.slice(root.length + 1) : first;
    throw new MetaError(400, `Failed to bundle the function (reason: Module not found "file:///${name}").`);
  }
}

/** Writes an upload's files. @throws MetaError for names that no folder can hold together. */
function unpack(root: string, files: readonly UploadedFile[]): void {
  try {
    for (const { path, bytes } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), bytes);
    }
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!UNFIT_NAME.has(code)) throw error;
    throw new MetaError(400, `Failed to bundle the function (reason: its file names conflict, ${code}).`);
  }
}

/** A path below the root, without dots. @throws MetaError */
function within(path: string): string {
  const plain = posix.normalize(path.replace(/^file:\/\/\/?/, "")).replace(/^\/+/, "");
  if (plain === "" || plain === "." || plain.startsWith("..") || plain.includes("\0")) {
    throw new MetaError(400, `The path "${path}" is outside of the project.`);
  }
  return plain;
}

function digest(files: readonly UploadedFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of files) hash.update(path).update("\0").update(bytes).update("\0");
  return hash.digest("hex");
}

async function readForm(
  headers: Record<string, unknown>,
  body: Buffer,
): Promise<{ files: UploadedFile[]; metadata: Record<string, unknown> }> {
  const files: UploadedFile[] = [];
  let metadata = "{}";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const broken = (error: unknown) => reject(new MetaError(400, `The form cannot be read: ${error}`));
  try {
    const form = new Busboy({ headers: headers as BusboyHeaders, preservePath: true });
    form.on("file", (name, stream, filename) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const bytes = Buffer.concat(chunks);
        if (name === "metadata") metadata = bytes.toString("utf8");
        else files.push({ path: filename, bytes });
      });
    });
    form.on("field", (name, value) => {
      if (name === "metadata") metadata = value;
    });
    form.on("finish", () => resolve());
    form.on("error", broken);
    Readable.from(body).pipe(form);
  } catch (error) {
    broken(error);
  }
  await promise;
  return {
    files: files.map(({ path, bytes }) => ({ path: within(path), bytes })),
    metadata: parseMetadata(metadata),
  };
}

function parseMetadata(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MetaError(400, "The part metadata is not JSON.");
  }
  if (!isRecord(value)) throw new MetaError(400, "The part metadata is not an object.");
  return value;
}
