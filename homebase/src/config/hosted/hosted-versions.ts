/**
 * Owns which version of each service hosted projects run, with date and source. A version that is not recorded is
 * undefined. docs/hosted.md has the same table.
 */

export interface RecordedVersion {
  service: string;
  /** What this version of Homebase follows. */
  here: string;
  hosted?: { version: string; at: string };
  /** The newest one that upstream has released. */
  newest?: { version: string; at: string };
  /** The one that the Supabase CLI of scripts/supabase-cli.ts starts on a developer's machine. */
  cli: string;
  source: string;
}

/** The machine of each hosted project is made from this file; Storage, Realtime and functions do not run on it. */
const IMAGE = "`ansible/vars.yml` of supabase/postgres";
const CLI = "`services` of the Supabase CLI";

export const HOSTED_VERSIONS = {
  rest: {
    service: "PostgREST",
    here: "16.5",
    hosted: { version: "14.18", at: "September 2026" },
    newest: { version: "16.5", at: "November 2026" },
    cli: "16.5",
    source: `${IMAGE}; CHANGELOG.md of PostgREST/postgrest (14.18 is of 2026-09-10); ${CLI}`,
  },
  auth: {
    service: "Auth",
    here: "2.196.0",
    hosted: { version: "2.190.0", at: "October 2026" },
    newest: { version: "2.197", at: "November 2026" },
    cli: "2.197.0",
    source: `${IMAGE} (its pull request of 2.190.0 is merged, those of 2.191 to 2.196 are closed, that of 2.197 is open); ${CLI}`,
  },
  realtime: {
    service: "Realtime",
    here: "August 2026",
    newest: { version: "2.174", at: "November 2026" },
    cli: "2.154.0",
    source: `${CLI}; for the newest no page is recorded`,
  },
  storage: {
    service: "Storage",
    here: "August 2026",
    newest: { version: "1.92", at: "November 2026" },
    cli: "1.90.1",
    source: `${CLI}; for the newest no page is recorded`,
  },
  functions: {
    service: "Edge runtime",
    here: "April 2026",
    cli: "1.78.1",
    source: CLI,
  },
  meta: {
    service: "postgres-meta",
    here: "0.99.0",
    cli: "0.100.0",
    source: CLI,
  },
} satisfies Record<string, RecordedVersion>;

/** The table of docs/hosted.md. */
export function versionsTable(): string {
  const dated = (known: RecordedVersion["hosted"]) => (known ? `${known.version} (${known.at})` : "unknown");
  const rows = Object.values(HOSTED_VERSIONS as Record<string, RecordedVersion>).map(
    ({ service, here, hosted, newest, cli, source }) =>
      `| ${service} | ${here} | ${dated(hosted)} | ${dated(newest)} | ${cli} | ${source} |`,
  );
  return [
    "| service | followed here | on hosted | upstream's newest | Supabase CLI 3.1.0 | source |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
