/**
 * Owns the programs that Homebase's commands start, and the places that they and these programs use, each with its
 * reason. Nothing else may be started, read or written, whatever a repository holds.
 */
import { homedir, tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { SYSTEM_FOLDER } from "../../src/core/user-folders.ts";
import { denoExecutable } from "../../src/functions/deno.ts";
import { serverFolder, serverUser } from "../../src/postgres/cluster/system-user.ts";

/** The repository that this test is part of: the package, and its `node_modules`. */
const PACKAGE = join(import.meta.dirname, "..", "..", "..");

interface Named {
  reason: string;
  /** @param words the program and its arguments; only the name where fakes counted */
  is: (words: readonly string[], project: string) => boolean;
}

const shell = (text: string) => (words: readonly string[]) =>
  words[0] === "/bin/sh" && words[1] === "-c" && (words[2]?.includes(text) ?? false);
const named = (words: readonly string[], name: string) =>
  [name, `/usr/bin/${name}`, `/bin/${name}`].includes(words[0] ?? "");

/** The programs, by name. */
export const programs: Record<string, Named> = {
  node: { reason: "the command itself", is: ([path]) => path === process.execPath },
  "sh, Postgres": {
    reason: "shuts Postgres down when the command ends, however it ends",
    is: shell("kill -INT $child"),
  },
  postgres: { reason: "the database", is: inCache("postgres") },
  initdb: {
    reason:
      "makes a data folder, where this version has none in its package, and writes a new one to the disk",
    is: inCache("initdb"),
  },
  "sh, initdb": {
    reason: "initdb fills a data folder with that Postgres, and asks for the system's locales",
    is: (words) =>
      shell("locale -a")(words) ||
      (shell('bin/postgres" -')(words) && within(words[2]?.slice(1) ?? "", cacheOf())),
  },
  locale: { reason: "names the system's locales to initdb", is: (words) => named(words, "locale") },
  cat: {
    reason: "waits in that shell for the end of the command",
    is: (words) => named(words, "cat") && words.length === 1,
  },
  "sh, function": { reason: "limits a function's CPU time", is: shell('ulimit -t "$0"') },
  "sh, watchdog": { reason: "ends functions when the stack was killed", is: shell('kill -KILL "-$pid"') },
  deno: {
    reason: "runs the project's functions, and lists the files that they import",
    is: ([path, task = ""]) => path === denoExecutable() && ["run", "info"].includes(task),
  },
  git: {
    reason:
      "tells deploy the commit, it and doctor --write which files are not committed, and policies mutate which migrations are new",
    is: (words) => /(^|\/)git$/.test(words[0] ?? "") && words.includes("core.fsmonitor=false"),
  },
};

/** A Postgres program in this user's cache: not in a project. */
function inCache(name: string): Named["is"] {
  return ([path = ""]) => path.endsWith(join("bin", name)) && within(path, cacheOf());
}

function cacheOf(): string {
  return process.getuid?.() === 0
    ? SYSTEM_FOLDER
    : (process.env.HOMEBASE_CACHE ?? join(homedir(), ".cache", "homebase-stack"));
}

interface Place {
  reason: string;
  /** Whether it may also be changed. */
  write?: true;
  is: (path: string, project: string) => boolean;
}

/** What the environment of the commands names as this user's folders. */
export interface Surroundings {
  home: string;
  state: string;
  /** The folder that a hostile repository is after. */
  outside: string;
}

/** The places, by name. @param writable folders of the project that this command may write to */
export function places(
  { home, state, outside }: Surroundings,
  writable: readonly string[],
): Record<string, Place> {
  const uid = process.getuid?.() ?? 0;
  const below =
    (...folders: string[]) =>
    (path: string) =>
      folders.some((folder) => within(path, folder));
  const matching = (pattern: RegExp) => (path: string) => pattern.test(path);
  return {
    project: { reason: "its files are the input", is: (path, project) => within(path, project) },
    "folders above": {
      reason: "a project is searched for upwards from the current folder",
      is: (path, project) => within(project, path),
    },
    "the project's data": {
      reason: "what the commands exist to keep",
      write: true,
      is: (path, project) =>
        path === serverFolder(project, serverUser()) ||
        within(path, serverFolder(project, serverUser())) ||
        new RegExp(`^${project}/\\.homebase(\\.\\d+)?(/|$)`).test(path),
    },
    "the command's result": {
      reason: "files that the command was asked for",
      write: true,
      is: (path, project) => writable.some((folder) => within(path, join(project, folder))),
    },
    package: { reason: "Homebase and its dependencies", is: below(PACKAGE) },
    cache: {
      reason: "Postgres's programs, and the prepared cluster",
      write: true,
      is: (path) =>
        path === cacheOf() ||
        (/^(postgres-|clusters|node-|deno-)/.test(path.slice(cacheOf().length + 1)) &&
          within(path, cacheOf())),
    },
    state: { reason: "the key of this user", write: true, is: below(state) },
    sockets: {
      reason: "sockets, rules of access, and the temporary folders of functions",
      write: true,
      is: below(join(tmpdir(), `homebase-${uid}`)),
    },
    memory: {
      reason: "temporary clusters, and Postgres's shared memory",
      write: true,
      is: matching(new RegExp(`^/dev/shm/(homebase-${uid}(/|$)|PostgreSQL\\.\\d+$)`)),
    },
    "Node's compile cache": {
      reason: "module.enableCompileCache() of the launcher",
      write: true,
      is: below(join(tmpdir(), "node-compile-cache")),
    },
    "Deno's cache": {
      reason: "Deno's own",
      write: true,
      is: (path) => path === join(home, ".cache") || within(path, join(home, ".cache", "deno")),
    },
    imports: {
      reason: "deno info reads a module before its place is refused; it is neither run nor shown",
      is: (path) => path === join(outside, "secret.ts"),
    },
    ".npmrc": {
      reason: "Deno reads the user's settings of npm",
      is: (path) => path === join(home, ".npmrc"),
    },
    Node: { reason: "Node's own files", is: below(dirname(dirname(process.execPath))) },
    libraries: {
      reason: "the system's libraries, locales and time zones",
      is: matching(/^\/(usr\/)?(lib|lib64|share\/(zoneinfo|locale|i18n))(\/|$)/),
    },
    settings: {
      reason: "the system's settings for names, networks, time and encryption",
      is: matching(
        /^\/etc\/(ld\.so\.(cache|preload)|passwd|group|nsswitch\.conf|hosts|host\.conf|resolv\.conf|gai\.conf|services|localtime|timezone|locale\.alias|os-release|ssl\/.*)$|^\/run\/systemd\/resolve\/|^\/usr\/local\/ssl\//,
      ),
    },
    "git's settings": {
      reason: "the machine's and the user's, which deploy's git reads",
      is: (path) =>
        path === "/etc/gitconfig" ||
        [".gitconfig", ".config/git"].some((name) => within(path, join(home, name))),
    },
    "the stand-in": {
      reason: "the stand-in's project and mails, removed at its end",
      write: true,
      is: matching(new RegExp(`^${tmpdir()}/homebase-hosted-(mail-)?\\w{6}(/|$)`)),
    },
    "C library": {
      reason: "which one the machine has, for the right sharp",
      is: (path) => path === "/usr/bin/ldd",
    },
    devices: {
      reason: "random bytes, and nothing",
      write: true,
      is: matching(/^\/dev\/(null|u?random|tty|zero)$/),
    },
    processes: {
      reason: "which processes run, hold ports and use how much",
      is: matching(
        /^\/proc(\/(\d+(\/(task\/\d+\/)?(stat|statm|status|cmdline|maps|cgroup|comm|mounts|mountinfo|fd|ns\/pid|net\/(tcp6?|route|if_inet6)|oom_score_adj))?|meminfo|cpuinfo|stat|version|version_signature|mounts|loadavg|uptime|filesystems|sys\/(kernel|vm|fs|net)\/.*))?$/,
      ),
    },
    "own processes": {
      reason: "Postgres lowers the chance that Linux ends it",
      write: true,
      is: matching(/^\/proc\/\d+\/(oom_score_adj|comm|task\/\d+\/comm)$/),
    },
    machine: {
      reason: "the numbers of CPUs and the limits of memory",
      is: matching(/^\/sys\/(fs\/cgroup|devices\/system|kernel\/mm)(\/|$)/),
    },
    pipes: { reason: "no files", write: true, is: matching(/^(pipe|socket|anon_inode|memfd|\/memfd):/) },
  };
}

export function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}
