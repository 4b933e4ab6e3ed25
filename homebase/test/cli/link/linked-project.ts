/** Owns a project in which `homebase link-cli` has made the command `supabase`, with a stand-in for the real CLI. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { COMMAND } from "../../command.ts";
import { Project, type Run } from "../project.ts";

/** What a runner does with the name of a script or a command: npm's is real, the others are not on every machine. */
const RUNNER = `#!/bin/sh
case "$1" in *:*) exec npm run --silent "$@" ;; *) exec "$@" ;; esac
`;
/** Writes down the words that it gets, in place of the hosted project that a test has not. */
const REAL = `#!/usr/bin/env node
require("node:fs").appendFileSync(__dirname + "/calls", JSON.stringify(process.argv.slice(2)) + "\\n");
`;

export class LinkedProject {
  readonly project: Project;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(files: Record<string, string>) {
    this.project = new Project(files);
    const modules = join(this.folder, "node_modules");
    const runners = join(this.folder, "..", "runners");
    this.write("package.json", "{}");
    this.write(
      "node_modules/supabase/package.json",
      JSON.stringify({ name: "supabase", version: "2.0.0", bin: { supabase: "cli.js" } }),
    );
    this.write("node_modules/supabase/cli.js", REAL);
    symlinkSync(dirname(dirname(COMMAND)), join(modules, "homebase-stack"));
    mkdirSync(runners);
    for (const name of ["pnpm", "bun", "bunx"]) {
      writeFileSync(join(runners, name), RUNNER);
      chmodSync(join(runners, name), 0o755);
    }
    symlinkSync(
      join(import.meta.dirname, "..", "..", "..", "..", "node_modules", ".bin", "biome"),
      join(runners, "biome"),
    );
    this.#environment = {
      ...process.env,
      PATH: [join(modules, ".bin"), runners, process.env.PATH].join(delimiter),
      HOMEBASE_PORT_OFFSET: String(this.project.offset),
      SUPABASE_PROJECT_REF: "abcdefghijklmnopqrst",
      npm_config_update_notifier: "false",
    };
  }

  get folder(): string {
    return this.project.folder;
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Runs `homebase link-cli`. */
  link(...options: string[]): Run {
    const args = ["--disable-warning=ExperimentalWarning", COMMAND, "link-cli", ...options];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: this.folder,
      encoding: "utf8",
    });
    return { code: status ?? 1, stdout, stderr };
  }

  /** Runs a line in a shell as npm runs a script, in the project or in a folder of it. */
  run(line: string, folder = "."): Promise<Run> {
    return new Promise((resolve, reject) => {
      const child = spawn("/bin/sh", ["-c", line], {
        cwd: join(this.folder, folder),
        env: this.#environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      child.once("error", reject);
      child.once("close", (code) => resolve({ code: code ?? 1, stdout, stderr }));
    });
  }

  /** The lines that the real CLI has got since the last call. */
  calls(): string[][] {
    const file = join(this.folder, "node_modules", "supabase", "calls");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trim().split("\n");
    rmSync(file);
    return lines.map((line) => JSON.parse(line) as string[]);
  }

  async remove(): Promise<void> {
    await this.run("supabase stop");
    await this.project.remove();
  }
}
