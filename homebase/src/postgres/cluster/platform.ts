/**
 * Owns the interface of what differs between operating systems in a cluster's processes and its address, and the way
 * of Linux and macOS: Unix sockets, signals, and a shell that watches over the server. Every cluster has this way;
 * Homebase's own tests have a second one (test/postgres/tcp-platform.ts).
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { GUARDED, JOB_PREFIX, PUBLIC_LOGINS } from "../guarded-logins.ts";
import type { ServerUser } from "./system-user.ts";

/** Fast rolls back open transactions; immediate also leaves out the checkpoint, so that the next start recovers. */
export type Ending = "fast" | "immediate" | "kill";

/** Where a server's files are, and the account that it runs as. */
export interface ServerPlace {
  /** The data folder. */
  folder: string;
  /** This user's private folder for the server's socket, rules and other files of a run. */
  socketFolder: string;
  user: ServerUser | undefined;
}

export interface ServerPlatform {
  /** Whether the stack's own sessions, the superuser's among them, connect to 127.0.0.1; otherwise to the socket. */
  readonly tcp: boolean;
  /** The settings that say where the server listens. */
  listening(socketFolder: string, port: number | undefined): Record<string, string | number>;
  /** The rules of the hba file. None lets anybody in without a password. */
  readonly rules: string;
  /** Starts a server that is ended when its input closes, as it does when this process ends, for whatever reason. */
  spawn(place: ServerPlace, postgres: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Asks a server's process to end, or kills it. Nothing happens when it has already exited. */
  end(place: ServerPlace, pid: number, ending: Ending): Promise<void>;
}

const JOBS = `"/^${JOB_PREFIX}[0-9]+$"`;

/**
 * By the socket come the logins of the stack's sessions (sessions.ts); by TCP, programs with Supabase's roles and the
 * project's own.
 */
const RULES = `local replication all reject
local all ${[...GUARDED, ...PUBLIC_LOGINS, JOBS].join(",")} scram-sha-256
local all all reject
host replication all all reject
host all ${[...GUARDED, JOBS].join(",")} all reject
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

const SIGNALS: Record<Ending, NodeJS.Signals> = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" };

/** Waits for the server in a small shell, and shuts it down when the pipe to the shell closes. */
const WATCHER =
  'exec 3<&0; "$@" </dev/null 3<&- & child=$!; (cat <&3 >/dev/null; kill -INT $child) & watcher=$!; exec 3<&-; wait $child; code=$?; kill $watcher 2>/dev/null; exit $code';

export const socketPlatform: ServerPlatform = {
  tcp: false,
  listening: (socketFolder, port) => ({
    unix_socket_directories: socketFolder,
    // Only the server's user, this process's user and root may connect.
    unix_socket_permissions: "0700",
    listen_addresses: port === undefined ? "" : "127.0.0.1",
  }),
  rules: RULES,
  spawn: ({ user }, postgres, args, options) =>
    spawn("/bin/sh", ["-c", WATCHER, "homebase-postgres", postgres, ...args], {
      ...options,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    }),
  end: async (_place, pid, ending) => {
    try {
      process.kill(pid, SIGNALS[ending]);
    } catch {
      // The process has already exited.
    }
  },
};
