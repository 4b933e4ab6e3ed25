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
  source: string;
}

/** The machine of each hosted project is made from this file; Storage, Realtime and functions do not run on it. */
const IMAGE = "`ansible/vars.yml` of supabase/postgres";

export const HOSTED_VERSIONS = {
  rest: {
    service: "PostgREST",
    here: "16.5",
    hosted: { version: "14.18", at: "September 2026" },
    newest: { version: "16.5", at: "November 2026" },
    source: `${IMAGE}; CHANGELOG.md of PostgREST/postgrest (14.18 is of 2026-09-10)`,
  },
  auth: {
    service: "Auth",
    here: "2.196.0",
    hosted: { version: "2.190.0", at: "October 2026" },
    newest: { version: "2.197", at: "November 2026" },
    source: `${IMAGE}; releases of supabase/auth`,
  },
  realtime: {
    service: "Realtime",
    here: "August 2026",
    newest: { version: "2.174", at: "November 2026" },
    source: "releases of supabase/realtime",
  },
  storage: {
    service: "Storage",
    here: "1.11.2",
    newest: { version: "1.92", at: "November 2026" },
    source: "releases of supabase/storage",
  },
  functions: {
    service: "Edge runtime",
    here: "April 2026",
    source: "not recorded",
  },
  meta: {
    service: "postgres-meta",
    here: "0.99.0",
    source: "not recorded",
  },
} satisfies Record<string, RecordedVersion>;

/** The table of docs/hosted.md. */
export function versionsTable(): string {
  const dated = (known: RecordedVersion["hosted"]) => (known ? `${known.version} (${known.at})` : "unknown");
  const rows = Object.values(HOSTED_VERSIONS as Record<string, RecordedVersion>).map(
    ({ service, here, hosted, newest, source }) =>
      `| ${service} | ${here} | ${dated(hosted)} | ${dated(newest)} | ${source} |`,
  );
  return [
    "| service | followed here | on hosted | upstream's newest | source |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
