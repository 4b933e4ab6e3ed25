/**
 * Owns the log of a stand-in for hosted: the last rows of the table `logs`, made from what the services, the gateway
 * and Postgres log, when they log it. Sources and keys: supabase.com/docs/guides/monitoring-and-debugging/logs.
 */
import { randomUUID } from "node:crypto";
import { createLog, type Log, type LogEntry, type LogLevel } from "../../../src/core/log.ts";
import { uuidOf } from "../../../src/core/uuid.ts";
import type { RequestRecord } from "../../../src/http/records.ts";
import { withoutValuesOfQuery } from "../../../src/http/shown-values.ts";
import type { FunctionAnswer } from "../uploaded-functions.ts";

/** A row of `logs`, with its columns' names. */
export interface LogRow {
  id: string;
  /** ISO 8601, UTC. */
  timestamp: string;
  source: string;
  event_message: string;
  severity_text: string;
  log_attributes: Record<string, string>;
}

/** What a project's rows name. */
export interface LoggedProject {
  ref: string;
  functionOf(slug: string): FunctionAnswer | undefined;
}

const MAX_ROWS = 10_000;
const MAX_TEXT = 10_000;

/** The sources of entries by the service that wrote them; entries of other services are not of the project. */
const SOURCES: Readonly<Record<string, string>> = {
  auth: "auth_logs",
  storage: "storage_logs",
  realtime: "realtime_logs",
  rest: "postgrest_logs",
  functions: "function_logs",
  postgres: "postgres_logs",
};
/** Services that log each request on hosted. */
const LOGS_REQUESTS = new Set(["auth", "storage", "rest"]);
/** `ERROR:  42P01: relation "x" does not exist`, as Postgres writes it with `log_error_verbosity = verbose`. */
const POSTGRES_LINE = /^(DEBUG\d|INFO|NOTICE|WARNING|ERROR|LOG|FATAL|PANIC): {2}(?:([0-9A-Z]{5}): )?(.*)$/s;
/** A further line of Postgres about the same event: its label and its text. */
const POSTGRES_MORE = /^(DETAIL|HINT|CONTEXT|QUERY|STATEMENT|LOCATION): {2}(.*)$/s;

/** The last rows of one project. */
export class ProjectLogs {
  #rows: LogRow[] = [];
  #project: LoggedProject | undefined;
  /** The event of Postgres that further lines belong to, and the key of the last of them. */
  #open: { row: LogRow; key: string } | undefined;

  /** Names the project whose rows follow. */
  describe(project: LoggedProject): void {
    this.#project = project;
    for (const { log_attributes } of this.#rows) log_attributes.identifier = project.ref;
  }

  /** Rows from one time on, up to another. */
  between(start: Date, end: Date): LogRow[] {
    const [from, to] = [start.toISOString(), end.toISOString()];
    return this.#rows.filter(({ timestamp }) => timestamp >= from && timestamp <= to);
  }

  /** A log whose entries also become rows. */
  recording(log: Log): Log {
    const named = (service: string, target: Log): Log => {
      const own = createLog(service, (entry) => this.#addEntry(entry));
      const write = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
        own[level](message, fields);
        target[level](message, fields);
      };
      return {
        debug: write("debug"),
        info: write("info"),
        warn: write("warn"),
        error: write("error"),
        named: (other) => named(other, target.named(other)),
      };
    };
    return named("hosted", log);
  }

  /** A request to the project's API: a row of the gateway, and one of the service that logs its requests. */
  addRequest({ id, method, path, query, status, begun, took, ran, service = "" }: RequestRecord): void {
    const { ref = "", functionOf } = this.#project ?? {};
    const timestamp = new Date(performance.timeOrigin + begun).toISOString();
    const shown = ran?.target ? withoutValuesOfQuery(query, ran.target) : query;
    const search = query === "" ? "" : `?${shown}`;
    const milliseconds = String(Math.round(took));
    const severity_text = status >= 500 ? "ERROR" : status >= 400 ? "WARN" : "INFO";
    const row = (source: string, event_message: string, log_attributes: Record<string, string>) =>
      this.#add({
        id: uuidOf(`${id} ${source}`),
        timestamp,
        source,
        event_message,
        severity_text,
        log_attributes,
      });
    const line = `${method} | ${status} | ${path}${search}`;
    const response = { "response.status_code": String(status), "response.origin_time": milliseconds };
    const request = { identifier: ref, "request.method": method };
    row("edge_logs", line, {
      ...request,
      ...response,
      "request.path": path,
      "request.search": search,
    });
    if (service === "functions") {
      const slug = path.split("/")[3] ?? "";
      row("function_edge_logs", line, {
        ...request,
        ...response,
        "request.pathname": path,
        "request.search": search,
        execution_time_ms: milliseconds,
        execution_id: id,
        ...this.#functionOf(functionOf?.(slug)),
      });
    }
    const source = SOURCES[service];
    if (!source || !LOGS_REQUESTS.has(service)) return;
    const own = {
      ...request,
      level: severity_text === "INFO" ? "info" : severity_text === "WARN" ? "warning" : "error",
      method,
      path: `/${path.split("/").slice(3).join("/")}`,
      status: String(status),
      msg: "request completed",
      duration: milliseconds,
      request_id: id,
    };
    row(source, service === "auth" ? JSON.stringify(own) : line, own);
  }

  #addEntry({ time, level, service, message, fields = {} }: LogEntry): void {
    if (service === "postgres") {
      this.#addLine(time, message);
      return;
    }
    const source = SOURCES[service];
    if (!source) return;
    const given = Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    const { function: slug, request } = fields;
    const running = typeof slug === "string" ? this.#project?.functionOf(slug) : undefined;
    const own =
      service === "functions"
        ? {
            ...(typeof request === "string" ? { execution_id: request } : {}),
            event_type: "Log",
            ...this.#functionOf(running),
          }
        : { msg: message };
    this.#add({
      id: randomUUID(),
      timestamp: time,
      source,
      event_message: message.slice(0, MAX_TEXT),
      severity_text: level.toUpperCase(),
      log_attributes: { ...Object.fromEntries(given), level: level === "warn" ? "warning" : level, ...own },
    });
  }

  /** A line of Postgres: an event, or more about the one before. */
  #addLine(time: string, line: string): void {
    const [, severity, state, text = ""] = POSTGRES_LINE.exec(line) ?? [];
    if (severity) {
      const row: LogRow = {
        id: randomUUID(),
        timestamp: time,
        source: "postgres_logs",
        event_message: text,
        severity_text: severity,
        log_attributes: {
          identifier: this.#project?.ref ?? "",
          "parsed.error_severity": severity,
          ...(state ? { "parsed.sql_state_code": state } : {}),
        },
      };
      this.#open = { row, key: "" };
      this.#add(row);
      return;
    }
    if (!this.#open) return;
    const [, label, more] = POSTGRES_MORE.exec(line) ?? [];
    const { row } = this.#open;
    // A text of several lines goes on behind a tab.
    if (label) this.#open.key = `parsed.${label === "STATEMENT" ? "query" : label.toLowerCase()}`;
    const { key } = this.#open;
    const value = label ? (more ?? "") : `\n${line.replace(/^\t/, "")}`;
    if (key === "") row.event_message = (row.event_message + value).slice(0, MAX_TEXT);
    else row.log_attributes[key] = ((row.log_attributes[key] ?? "") + value).slice(0, MAX_TEXT);
  }

  #functionOf(found: FunctionAnswer | undefined): Record<string, string> {
    if (!found) return {};
    const { id, version } = found;
    return {
      function_id: id,
      version: String(version),
      deployment_id: `${this.#project?.ref}_${id}_${version}`,
    };
  }

  #add(row: LogRow): void {
    this.#rows.push(row);
    if (this.#rows.length > MAX_ROWS) this.#rows = this.#rows.slice(-MAX_ROWS / 2);
  }
}
