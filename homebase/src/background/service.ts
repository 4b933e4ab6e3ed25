/**
 * Owns background work for the database: requests of pg_net, jobs of pg_cron, and what statements ask (exchanges.ts). On hosted,
 * Postgres does this itself; here the extensions only have their SQL objects, and this service does the work.
 */
import { errorBoundary } from "../core/error-boundary.ts";
import type { Service } from "../http/exchange.ts";
import type { ServiceContext } from "../service-context.ts";
import { Exchanges } from "./exchanges.ts";
import { JobRunner } from "./jobs.ts";
import { RequestWorker } from "./requests.ts";

/** The channel of the extensions' notifications; the payload says for what. */
const CHANNEL = "homebase";
/** What each extension's notifications say. */
const PAYLOADS = { pg_net: "net", pg_cron: "cron", http: "exchange", plpgsql_check: "exchange" };
type Extension = keyof typeof PAYLOADS;

export interface Background extends Pick<Service, "close"> {
  /** Undefined where no job was ever scheduled. */
  jobs(): Pick<JobRunner, "due" | "runNow"> | undefined;
}

/** Runs while its Backend serves the database. */
export function startBackground(context: ServiceContext): Background {
  const { database, clock, log, url, happened } = context;
  let requests: RequestWorker | undefined;
  let jobs: JobRunner | undefined;
  let exchanges: Exchanges | undefined;
  let starting = true;
  const wake = (what: string) => {
    if (what === "net") {
      requests ??= new RequestWorker(database, url, log, happened);
      requests.wake();
    } else if (what === "cron") {
      jobs ??= new JobRunner(database, clock, log, happened, starting);
      jobs.reload();
    } else if (what === "exchange") {
      exchanges ??= new Exchanges(database, url, log);
      exchanges.wake();
    }
  };
  const unsubscribe = database.notifications.subscribe(CHANNEL, {
    notified: errorBoundary(log, "a notification for background work", wake),
    listening: (query) => {
      const names = Object.keys(PAYLOADS).map((name) => `'${name}'`);
      query(`select extname as name from pg_extension where extname in (${names})`).then(
        ({ rows }) => {
          for (const { name } of rows as { name: Extension }[]) wake(PAYLOADS[name]);
          starting = false;
        },
        // The connection is lost; the queue is read again after reconnecting.
        () => {},
      );
    },
  });
  return {
    jobs: () => jobs,
    async close() {
      unsubscribe();
      await Promise.all([requests?.close(), jobs?.close(), exchanges?.close()]);
    },
  };
}
