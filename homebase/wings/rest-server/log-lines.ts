/**
 * Owns the output of `homebase rest`, in PostgREST's format, which scripts read: requests as Apache's combined log on
 * standard output, everything else behind a time on standard error (PostgREST documentation, "Logging"; Logger.hs).
 */
import { createLog, type Log, type LogLevel } from "../../src/core/log.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import type { StandaloneConfig } from "./environment.ts";

/** Log levels that each of PostgREST's thresholds includes. */
const SHOWN: Record<StandaloneConfig["logLevel"], readonly LogLevel[]> = {
  crit: [],
  error: ["error"],
  warn: ["error", "warn"],
  info: ["error", "warn", "info"],
  debug: ["error", "warn", "info", "debug"],
};

/** The outcome of a request. */
export interface Answered {
  status: number;
  /** Length of the body; undefined without one. */
  bytes: number | undefined;
  /** Undefined when the request was refused before its role was known. */
  role: string | undefined;
}

export interface LogLines {
  /** Entries that the level filters. */
  log: Log;
  /** Writes a line whatever the level is: start, reload, connections, end. */
  tell(line: string): void;
  /** Writes a request, if the level includes its status. */
  access(request: HttpRequest, answered: Answered): void;
  /** Whether the level includes a status. */
  includes(status: number): boolean;
}

/** @param config its level may change while the process runs. */
export function createLogLines(config: Pick<StandaloneConfig, "logLevel" | "socket">): LogLines {
  const tell = (line: string) => {
    process.stderr.write(`${apacheTime(new Date())}: ${oneLine(line)}\n`);
  };
  const includes = (status: number) =>
    SHOWN[config.logLevel].includes(status >= 500 ? "error" : status >= 400 ? "warn" : "info");
  return {
    tell,
    includes,
    log: createLog("rest", ({ level, message, fields }) => {
      if (SHOWN[config.logLevel].includes(level))
        tell(fields ? `${message} ${JSON.stringify(fields)}` : message);
    }),
    access(request, { status, bytes, role }) {
      if (!includes(status)) return;
      const { method, path, query, headers, httpVersion } = request;
      const from = config.socket === undefined ? request.remoteAddress.replace(/^::ffff:/, "") : "-";
      const target = `${path}${query ? `?${query}` : ""}`;
      const parts = [
        `${from} - ${role ?? "-"} [${apacheTime(new Date())}]`,
        quoted(`${method} ${target} HTTP/${httpVersion}`),
        `${status} ${bytes ?? "-"}`,
        quoted(headers.referer ?? ""),
        quoted(headers["user-agent"] ?? ""),
      ];
      process.stdout.write(`${parts.join(" ")}\n`);
    },
  };
}

/** Quotes are escaped as Apache does, so that a header cannot add a field to the line. */
function quoted(text: string): string {
  return `"${oneLine(text).replace(/["\\]/g, "\\$&")}"`;
}

/** A line cannot be continued by what a client or the database sent. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replace(/\p{Cc}/gu, "?");
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A local time as `25/Nov/2026:07:10:48 +0000`. */
export function apacheTime(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const east = -date.getTimezoneOffset();
  const zone = `${east < 0 ? "-" : "+"}${two(Math.floor(Math.abs(east) / 60))}${two(Math.abs(east) % 60)}`;
  const day = `${two(date.getDate())}/${MONTHS[date.getMonth()]}/${date.getFullYear()}`;
  return `${day}:${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone}`;
}
