/**
 * Owns the log: one entry is one object; a sink writes it (terminal, file, a test's memory). Services get a
 * Log with their name.
 */

export type LogLevel = "debug" | "info" | "warn" | "error";

/** One event. `fields` must be JSON-serialisable and contain no secrets. */
export interface LogEntry {
  time: string;
  level: LogLevel;
  service: string;
  message: string;
  fields?: Record<string, unknown>;
}

export type LogSink = (entry: LogEntry) => void;

/** A named writer of log entries. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same sink under another service's name. */
  named(service: string): Log;
}

/** Creates a Log that writes to `sink` under the name `service`. */
export function createLog(service: string, sink: LogSink): Log {
  const write = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    const entry: LogEntry = { time: new Date().toISOString(), level, service, message };
    if (fields) entry.fields = fields;
    sink(entry);
  };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    named: (other) => createLog(other, sink),
  };
}

/** A log that discards everything. */
export const silentLog: Log = createLog("silent", () => {});
