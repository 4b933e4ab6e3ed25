/** Owns the package as a user has it: built, packed, and installed by npm in an empty folder. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import { buildPackage } from "./main.ts";

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;

export interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

/** A folder with the package and nothing of this repository; deleted by `remove`. */
export class Installed {
  readonly folder: string;
  /** Size of the package's installation in MB. */
  readonly megabytes: number;

  /** The packed package. */
  readonly tarball: string;

  private constructor(folder: string, tarball: string, megabytes: number) {
    this.folder = folder;
    this.tarball = tarball;
    this.megabytes = megabytes;
  }

  /** @param besides further packages that the test's app needs: measured separately. */
  static async make(besides: readonly string[]): Promise<Installed> {
    const folder = await mkdtemp(join(tmpdir(), "homebase-package-"));
    // For root, Postgres runs as another user, who must be able to traverse it.
    await chmod(folder, 0o755);
    await buildPackage(join(folder, "built"));
    await run("npm", ["pack", join(folder, "built"), "--pack-destination", folder], {
      cwd: folder,
      env: environment(folder),
    });
    const tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "");
    await writeFile(join(folder, "package.json"), '{"private":true,"type":"module"}');
    await npmInstall(folder, [tarball]);
    const megabytes = await weigh(join(folder, "node_modules"));
    if (besides.length > 0) await npmInstall(folder, besides);
    return new Installed(folder, tarball, megabytes);
  }

  /** Writes files of a project, below `name`. @returns its folder. */
  async project(name: string, files: Record<string, string>): Promise<string> {
    const folder = join(this.folder, name);
    await mkdir(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return folder;
  }

  /** The command as in the user's shell: on the system's Node. */
  homebase(cwd: string, ...args: string[]): Promise<Output> {
    return this.run(join(this.folder, "node_modules", ".bin", "homebase"), args, cwd, {});
  }

  /** A JavaScript file, or an installed tool, on this test's Node. */
  node(cwd: string, ...args: string[]): Promise<Output> {
    return this.run(process.execPath, args, cwd, {});
  }

  get environment(): NodeJS.ProcessEnv {
    return environment(this.folder);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** A program with additional environment variables. */
  async run(program: string, args: string[], cwd: string, besides: NodeJS.ProcessEnv): Promise<Output> {
    const env = { ...this.environment, ...besides };
    return run(program, args, { cwd, env, maxBuffer: MAX_OUTPUT }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code?: unknown; stdout?: string; stderr?: string; message: string }) => ({
        code: typeof error.code === "number" ? error.code : 1,
        stdout: error.stdout ?? "",
        stderr: error.stderr || error.message,
      }),
    );
  }
}

/** @throws where npm refuses, e.g. because of a peer. */
export function npmInstall(
  folder: string,
  what: readonly string[],
  env: NodeJS.ProcessEnv = environment(folder),
): Promise<unknown> {
  return run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...what], {
    cwd: folder,
    env,
  });
}

/**
 * Without variables of npm and this test's runner about the repository: its command folders, its test
 * cluster.
 */
function environment(folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|HOMEBASE_|VITEST|INIT_CWD|NODE_)/.test(name),
  );
  const commands = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((entry) => !entry.includes(`node_modules${sep}.bin`) && entry !== dirname(process.execPath));
  return {
    ...Object.fromEntries(kept),
    PATH: commands.join(delimiter),
    HOMEBASE_CACHE: join(folder, "cache"),
  };
}

/** Megabytes of the files below a folder. */
export async function weigh(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes / 1024 ** 2;
}
