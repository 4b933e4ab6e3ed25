/**
 * Owns the list of sessions that the stack opens in a project's database server: with which role, which way in, and
 * which files open them. A test compares it with the code and with a running server.
 */

export interface SessionKind {
  role: string;
  /** Why it needs this role. */
  why: string;
  /** The password that it shows: of this cluster only, or Supabase's public one (guarded-logins.ts). */
  password: "own" | "public";
  /** The files of the core that name the role for a session, below `src/`; those of wings are in their `sessions`. */
  places: readonly string[];
}

/**
 * All by the Unix socket, each with a password; by TCP come only programs outside of the stack's process. In the clusters
 * of tests that have no socket all come by TCP (cluster/platform.ts).
 */
export const SESSIONS: readonly SessionKind[] = [
  {
    role: "supabase_admin",
    why: "makes databases, extensions and roles; reads and answers what extensions have asked for",
    password: "own",
    places: [
      "developer/unsafe-objects.ts",
      "background/jobs.ts",
      "background/exchanges.ts",
      "postgres/cluster/implied.ts",
      "postgres/database.ts",
      "postgres/job-login.ts",
      "realtime/changes/feed.ts",
      "realtime/changes/replication/published-tables.ts",
      "realtime/changes/subscriptions.ts",
    ],
  },
  {
    role: "homebase_replication",
    why: "reads the write-ahead log for Realtime",
    password: "own",
    places: ["realtime/changes/replication/stream.ts"],
  },
  {
    role: "homebase_explain",
    why: "runs a function again for its explanation, as role postgres or the caller, with auto_explain loaded",
    password: "own",
    places: ["postgres/explain-login.ts"],
  },
  {
    role: "homebase_reader",
    why: "runs the SQL of assistants, which may read every table but for secrets, and change nothing",
    password: "own",
    places: [],
  },
  {
    role: "postgres",
    why: "runs the project's own code and statements: migrations, the database API, webhooks, policies",
    password: "public",
    places: [
      "developer/project-database.ts",
      "diff/compared-database.ts",
      "diff/project-diff.ts",
      "diff/undeclared-publication.ts",
      "developer/unprotected-tables.ts",
      "background/function-checks.ts",
      "background/jobs.ts",
      "background/requests.ts",
      "catalog/session.ts",
      "postgres/cluster/cluster-client.ts",
      "postgres/cluster/implied.ts",
      "postgres/cluster/template-databases.ts",
      "postgres/extensions/installed.ts",
      "postgres/job-login.ts",
      "postgres/migrations.ts",
      "postgres/moment.ts",
      "postgres/while-awaited.ts",
      "realtime/kit/authorization.ts",
      "realtime/changes/feed.ts",
      "realtime/changes/subscriptions.ts",
      "realtime/channel/replay.ts",
      "realtime/endpoints/http.ts",
      "realtime/hub/hub.ts",
      "testing/isolated-backend.ts",
      "tools/tap/run-pgtap.ts",
      "tools/used-in-bodies.ts",
      "tools/why-request.ts",
    ],
  },
  {
    role: "authenticator",
    why: "REST's requests, which take the caller's role, what a role may, and notifications",
    password: "public",
    places: [
      "http/secret-rights.ts",
      "postgres/database.ts",
      "rest/execute/as.ts",
      "rest/postgrest-settings.ts",
    ],
  },
  { role: "supabase_auth_admin", why: "Auth", password: "public", places: ["auth/kit/as-auth-admin.ts"] },
  {
    role: "supabase_storage_admin",
    why: "Storage",
    password: "public",
    places: [
      "developer/project-database.ts",
      "storage/buckets/config-buckets.ts",
      "storage/kit/access.ts",
      "storage/dependencies.ts",
      "storage/objects/consistency-check.ts",
      "storage/service.ts",
    ],
  },
  {
    role: "homebase_http",
    why: "the server's connection to itself, by which a statement asks Homebase and waits",
    password: "own",
    places: ["postgres/bootstrap/exchange.sql"],
  },
  {
    role: "homebase_job",
    why: "becomes a project's own role to run the scheduled jobs that it owns; one for each such role, with its object id",
    password: "own",
    places: ["postgres/job-login.ts"],
  },
  {
    role: "supabase_read_only_user",
    why: "runs read-only queries of the stand-in for hosted",
    password: "public",
    places: [],
  },
];
