/**
 * Owns recording what a command and its descendants start and open: with strace where this machine has it and lets
 * it trace; otherwise every program on PATH is a fake that notes its name, and files are not recorded.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { descendants } from "../cli/project.ts";
import { COMMAND } from "../command.ts";

const REAL_PATH = process.env.PATH ?? "/usr/bin:/bin";
const CALLS =
  "execve,execveat,chdir,open,openat,openat2,creat,truncate,unlink,unlinkat,rmdir,rename,renameat,renameat2," +
  "mkdir,mkdirat,mknod,mknodat,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,lchown,fchownat";
const OPENING = /^(?:open|openat|openat2|creat)\(/;
const WRITING = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^creat/;

export type Means = "strace" | "fakes";

/** How this run counts. `HOMEBASE_TEST_PROGRAMS=fakes` leaves strace out where it is there. */
export const means: Means = process.env.HOMEBASE_TEST_PROGRAMS !== "fakes" && canTrace() ? "strace" : "fakes";

/** What a command and its descendants did. */
export interface Trace {
  /** Programs with their arguments. */
  programs: string[][];
  /** Files and folders, links resolved. None where fakes count. */
  read: Set<string>;
  written: Set<string>;
}

export interface Traced {
  code: number | null;
  output: string;
  /** Milliseconds until the last descendant ended. */
  took: number;
  trace: Trace;
}

export interface Running {
  output(): string;
  /** The end of the command and all of its descendants. */
  ended: Promise<Traced>;
  /** Ends the command as Ctrl+C does. */
  interrupt(): void;
  /** Ends it and its descendants at once: for a command that does not end. */
  kill(): void;
}

/** Starts the `homebase` command. @param notes an empty folder for the records, which other users may write to */
export function startTraced(
  args: readonly string[],
  notes: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Running {
  mkdirSync(notes);
  chmodSync(notes, 0o777);
  const command = [process.execPath, "--disable-warning=ExperimentalWarning", COMMAND, ...args];
  const began = performance.now();
  const [program = "", ...rest] = means === "strace" ? [...strace(notes), ...command] : command;
  const path = means === "strace" ? REAL_PATH : fakes(notes);
  const child = spawn(program, rest, {
    cwd,
    env: { ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<Traced>((resolve) => {
    child.once("close", (code) => {
      const took = performance.now() - began;
      resolve({ code, output, took, trace: means === "strace" ? traceOf(notes, cwd) : fakesOf(notes) });
    });
  });
  const pid = child.pid ?? 0;
  // strace is the parent of the command that it runs.
  const interrupt = () => end(means === "strace" ? (descendants(pid)[0] ?? pid) : pid, "SIGINT");
  const kill = () => {
    for (const one of [...descendants(pid), pid]) end(one, "SIGKILL");
  };
  return { output: () => output, ended, interrupt, kill };
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function canTrace(): boolean {
  if (process.platform !== "linux") return false;
  try {
    execFileSync("strace", ["-f", "-y", "--seccomp-bpf", "-e", "trace=execve", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A file for each process, successful calls only, descriptors with their paths. */
function strace(notes: string): string[] {
  const filter = ["-z", "-qq", "-y", "-s", "65536", "-e", `trace=${CALLS}`];
  return ["strace", "-ff", "--seccomp-bpf", ...filter, "-o", join(notes, "trace")];
}

function traceOf(notes: string, cwd: string): Trace {
  const trace: Trace = { programs: [], read: new Set(), written: new Set() };
  for (const name of readdirSync(notes)) {
    const lines = readFileSync(join(notes, name), "utf8").split("\n");
    let folder = lines.map(folderOf).find((found) => found !== undefined) ?? cwd;
    for (const line of lines) {
      folder = folderOf(line) ?? folder;
      if (/^execve(at)?\(/.test(line)) trace.programs.push(words(line));
      else if (OPENING.test(line)) {
        const opened = /= \d+<(.*)>(?:\(deleted\))?$/.exec(line)?.[1];
        if (opened === undefined) continue;
        (WRITING.test(line.slice(0, line.lastIndexOf(" = "))) ? trace.written : trace.read).add(
          plain(opened),
        );
      } else if (/^[a-z0-9]+\(/.test(line) && !line.startsWith("chdir(")) {
        for (const path of pathsOf(line, folder)) trace.written.add(path);
      }
    }
  }
  return trace;
}

/** The current folder of a process, where a line tells it. */
function folderOf(line: string): string | undefined {
  const found = /AT_FDCWD<([^>]*)>/.exec(line)?.[1] ?? /^chdir\("(\/[^"]*)"\)/.exec(line)?.[1];
  return found === undefined ? undefined : plain(found);
}

/** The files that a call changes: each text in it, but for the target of a link. */
function pathsOf(line: string, folder: string): string[] {
  const call = line.slice(0, line.lastIndexOf(") = "));
  const found = [...call.matchAll(/(?:\d+<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(([, at, text = ""]) =>
    resolve(at === undefined ? folder : plain(at), plain(text)),
  );
  return (call.startsWith("symlink") ? found.slice(1) : found).map(withoutLinks);
}

function withoutLinks(path: string): string {
  for (let known = dirname(path); ; known = dirname(known)) {
    if (existsSync(known)) return join(realpathSync(known), path.slice(known.length));
  }
}

/** The program and its arguments. */
function words(line: string): string[] {
  const [, program = "", list = ""] = /"((?:[^"\\]|\\.)*)", \[(.*?)\], (?:0x|\[)/.exec(line) ?? [];
  const args = [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => plain(text));
  return [plain(program), ...args.slice(1)];
}

/** A text without strace's escapes. */
function plain(text: string): string {
  const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };
  return text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_, octal?: string, letter = "") =>
    octal === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

/** A folder with a fake of every program on PATH: it notes its name and arguments, and runs the real one. */
function fakes(notes: string): string {
  const folder = join(dirname(notes), "fakes");
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(folder, { mode: 0o755 });
  const fake = join(folder, ".fake");
  const script = `#!/bin/sh
name="\${0##*/}"
{ printf '%s\\0' "$name" "$@"; printf '\\n'; } >> '${notes}'/"$$"
PATH='${REAL_PATH}' real=$(PATH='${REAL_PATH}' command -v "$name") && exec "$real" "$@"
exit 127
`;
  writeFileSync(fake, script, { mode: 0o755 });
  for (const place of REAL_PATH.split(":").filter((one) => existsSync(one))) {
    for (const name of readdirSync(place)) {
      if (!existsSync(join(folder, name))) symlinkSync(fake, join(folder, name));
    }
  }
  return folder;
}

function fakesOf(notes: string): Trace {
  const lines = readdirSync(notes).flatMap((name) => readFileSync(join(notes, name), "utf8").split("\0\n"));
  const programs = lines.filter(Boolean).map((line) => line.split("\0"));
  return {
    programs: programs.map(([name = "", ...args]) => [basename(name), ...args]),
    read: new Set(),
    written: new Set(),
  };
}
