/** Owns the small project that the tests deploy to a stand-in for hosted. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import type { Hosted } from "../../hosted/index.ts";
import { type DeployOptions, type DeployResult, deploy } from "../deploy.ts";

export const REF = "abcdefghijklmnopqrst";

const CONFIG = `
project_id = "notes"
[auth]
site_url = "http://127.0.0.1:5173"
additional_redirect_urls = ["http://localhost:5173/**"]
minimum_password_length = 10
[auth.email]
enable_confirmations = false
max_frequency = "1s"
[auth.email.template.invite]
subject = "Come"
content_path = "./supabase/templates/invite.html"
[storage]
file_size_limit = "10MiB"
[storage.buckets.pictures]
public = true
allowed_mime_types = ["image/png"]
objects_path = "./seed/pictures"
[functions.hello]
verify_jwt = false
[edge_runtime.secrets]
WHO = "env(WHO)"
[remotes.production]
project_id = "${REF}"
[remotes.production.db.vault]
project_url = "https://${REF}.supabase.co"
[remotes.production.auth]
site_url = "https://notes.example"
additional_redirect_urls = []
[remotes.production.auth.email]
enable_confirmations = true
max_frequency = "1m"
`;

export const FIRST = `
create table public.notes (id bigint generated always as identity primary key, body text not null);
alter table public.notes enable row level security;
create policy "read" on public.notes for select to authenticated using (true);
`;
export const SECOND = `
alter table public.notes add column author uuid default auth.uid();
create function public.note_count() returns bigint language sql security invoker set search_path = '' as
  $$ select count(*) from public.notes $$;
`;

/** A project in a folder of its own. */
export interface TestProject {
  folder: string;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Adds an entry to the production project's `[db.vault]`. */
  addVaultEntry(name: string, value: string): void;
  /** Deploys it, confirming everything. */
  deploy(hosted: Hosted, options?: Partial<DeployOptions>): Promise<DeployResult>;
  drop(): void;
}

export function testProject(): TestProject {
  const folder = mkdtempSync(join(tmpdir(), "homebase-deploy-"));
  // The smoke test uses the client that the project has.
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("package.json", "{}");
  write("supabase/config.toml", CONFIG);
  write("supabase/migrations/20260101000000_notes.sql", FIRST);
  write("supabase/seed.sql", "insert into public.notes (body) values ('from the seed');");
  write("supabase/seed/pictures/demo.png", "not really a picture");
  write("supabase/templates/invite.html", "<p>Come: {{ .ConfirmationURL }}</p>");
  write("supabase/functions/_shared/word.ts", `export const word = "hello";`);
  write(
    "supabase/functions/hello/index.ts",
    `import { word } from "../_shared/word.ts"; // import "./no_such_file.ts"
     Deno.serve(() => new Response(word + " " + Deno.env.get("WHO")));`,
  );
  return {
    folder,
    write,
    remove: (path) => rmSync(join(folder, path)),
    addVaultEntry: (name, value) =>
      write(
        "supabase/config.toml",
        CONFIG.replace("[remotes.production.auth]", (next) => `${name} = "${value}"\n${next}`),
      ),
    deploy: (hosted, options = {}) =>
      deploy({
        projectFolder: folder,
        ref: REF,
        accessToken: hosted.management.accessToken,
        apiUrl: hosted.management.url,
        projectUrl: hosted.project.url,
        databaseUrl: hosted.databaseUrl,
        secrets: { WHO: "the world" },
        cluster: () => testCluster(process.cwd()),
        agree: async () => true,
        environment: {},
        ...options,
      }),
    drop: () => rmSync(folder, { recursive: true, force: true }),
  };
}
