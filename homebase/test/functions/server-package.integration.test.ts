/**
 * `@supabase/server` in a function, unmodified: it takes keys, signing keys and address from the environment that hosted
 * gives a function, and a function needs no other set-up.
 */
import { createClient } from "@supabase/supabase-js";
import { beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";

const project = folderForThisFile("server-package");

const MODES = ["user", "publishable", "secret", "none"] as const;
const code = (mode: string) => `import { withSupabase } from "npm:@supabase/server@1.8.1";
export default { fetch: withSupabase({ auth: ${JSON.stringify(mode)} }, async (_req, ctx) => {
  const { data } = await ctx.supabase.from("games").select("name").order("name");
  const all = await ctx.supabaseAdmin.from("games").select("name").order("name");
  const names = (rows) => (rows ?? []).map(({ name }) => name);
  return Response.json({ mode: ctx.authMode, id: ctx.userClaims?.id ?? null, own: names(data), all: names(all.data) });
}) };`;

for (const mode of MODES) writeFiles(project, { [`supabase/functions/${mode}/index.ts`]: code(mode) });
const open = MODES.map((mode) => `[functions.${mode}]\nverify_jwt = false`);
writeFiles(project, { "supabase/config.toml": `project_id = "games"\n${open.join("\n")}\n` });
const backend = await forThisFile(createBackend({ projectFolder: project }));
beforeAll(async () => {
  await backend.sql(`
    create table public.games (owner uuid, name text);
    alter table public.games enable row level security;
    create policy own on public.games for select using (owner is null or owner = auth.uid());
    insert into public.games values (null, 'chess'), ('00000000-0000-0000-0000-00000000000b', 'go')`);
});

async function ask(mode: (typeof MODES)[number], headers: Record<string, string> = {}) {
  const response = await fetch(`${backend.url}/functions/v1/${mode}`, { headers });
  const text = await response.text();
  return { status: response.status, json: response.ok ? JSON.parse(text) : text };
}

test("a person's token gives a client with this person's rights", async () => {
  const client = createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });
  const { data, error } = await client.auth.signUp({ email: "ana@example.com", password: "correct horse" });
  expect(error).toBeNull();
  await backend.sql(`insert into public.games values ('${data.user?.id}', 'tag')`);
  const headers = { authorization: `Bearer ${data.session?.access_token}`, apikey: backend.publishableKey };
  expect(await ask("user", headers)).toEqual({
    status: 200,
    json: { mode: "user", id: data.user?.id, own: ["chess", "tag"], all: ["chess", "go", "tag"] },
  });
  expect((await ask("user")).status).toBe(401);
  expect((await ask("user", { authorization: `${headers.authorization}x` })).status).toBe(401);
});

test("keys open what they are for, and nothing else", async () => {
  const { publishableKey, secretKey } = backend;
  const answered = async (mode: (typeof MODES)[number], apikey: string) => {
    const { status, json } = await ask(mode, { apikey });
    return status === 200 ? json.mode : status;
  };
  expect([await answered("publishable", publishableKey), await answered("publishable", secretKey)]).toEqual([
    "publishable",
    401,
  ]);
  expect([await answered("secret", secretKey), await answered("secret", publishableKey)]).toEqual([
    "secret",
    401,
  ]);
  expect((await ask("none")).json).toMatchObject({ mode: "none", own: ["chess"] });
});
