/**
 * A Backend with every service, and its inbox, in a separate process, so that its exit and memory can be
 * observed. Started by `fork`: sends its address, then responds to every message with its memory use.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInbox } from "../../src/backend/inbox.ts";
import { systemClock } from "../../src/core/clock.ts";
import { releaseMemory } from "../../src/core/idle-memory.ts";
import type { LogEntry } from "../../src/core/log.ts";
import { createBackend } from "../../wings/testing.ts";

export interface HostileServer {
  url: string;
  inbox: string;
  anonKey: string;
  serviceRoleKey: string;
  publishableKey: string;
}

export interface HostileState {
  /** Bytes after garbage collection: of the process, and of its live objects. */
  rss: number;
  held: number;
  /** Errors logged since the last answer. */
  errors: LogEntry[];
}

const SCHEMA = `
create table public.vault (id int primary key, secret text);
create table public.things (id serial primary key, name text unique, data jsonb, tags text[], "odd ""name'" text,
  vault_id int references public.vault);
create table public.parts (id serial primary key, thing_id int references public.things on delete cascade, name text);
create table public.shown (id int primary key, secret text, mine boolean);
insert into public.things (name, data, tags) values ('one', '{"a":1}', '{a}'), ('two', null, '{}');
insert into public.parts (thing_id, name) values (1, 'p'), (1, 'q');
grant all on all tables in schema public to anon, authenticated, service_role;
grant all on all sequences in schema public to anon, authenticated, service_role;
create function public.add(a int, b int default 1) returns int language sql immutable as 'select a + b';
create function public.echo(n text) returns text language sql as 'select n';
create function public.whole(json) returns json language sql as 'select $1';
create policy all_objects on storage.objects using (true) with check (true);
create policy all_messages on realtime.messages using (true) with check (true);
`;

const project = mkdtempSync(join(tmpdir(), "homebase-hostile-"));
const functions = join(project, "supabase", "functions");
mkdirSync(join(functions, "echo"), { recursive: true });
writeFileSync(join(project, "supabase", "config.toml"), "[functions.echo]\nverify_jwt = false\n");
writeFileSync(
  join(functions, "echo", "index.ts"),
  "Deno.serve(async (req) => new Response(await req.arrayBuffer(), { headers: { 'x-method': req.method } }));",
);

// Slow clients and idle connections are closed within the test's timeouts.
const LIMITS = { headersMs: 2_000, bodyStallMs: 2_000, keepAliveMs: 3_000, checkMs: 100 };
const many = 1_000_000;
const backend = await createBackend({
  projectFolder: project,
  config: {
    auth: {
      rate_limit: {
        email_sent: many,
        sign_in_sign_ups: many,
        token_refresh: many,
        token_verifications: many,
      },
    },
  },
  limits: LIMITS,
});
await backend.sql(SCHEMA);
await fetch(`${backend.url}/storage/v1/bucket`, {
  method: "POST",
  headers: { authorization: `Bearer ${backend.serviceRoleKey}`, "content-type": "application/json" },
  body: '{"name":"files","public":true}',
});
const inbox = await openInbox({
  folder: join(project, "inbox"),
  port: 0,
  clock: systemClock,
  log: backend.backend.log.named("mail"),
  limits: LIMITS,
});

process.on("message", () => {
  // A policy that cannot handle a topic is the project's error.
  const failed = ({ level, message }: LogEntry) => level === "error" && !message.startsWith("RlsPolicyError");
  const errors = backend.logs.filter(failed);
  // The test's own records do not count.
  backend.logs.length = 0;
  backend.mails.length = 0;
  releaseMemory();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, held: heapUsed + external, errors: errors.slice(0, 50) } satisfies HostileState);
});
process.on("disconnect", async () => {
  await Promise.all([backend.drop(), inbox.close()]);
  rmSync(project, { recursive: true, force: true });
  process.exit(0);
});
const { url, anonKey, serviceRoleKey, publishableKey } = backend;
process.send?.({
  url,
  anonKey,
  serviceRoleKey,
  publishableKey,
  inbox: inbox.url ?? "",
} satisfies HostileServer);
