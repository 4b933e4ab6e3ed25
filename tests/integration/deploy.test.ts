/**
 * A deploy of Nosh rehearsed on a stand-in for hosted: a target with people in it that has the migrations which the
 * baseline replaces, then a release after it, followed by the app's own requests.
 */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { type DeployOptions, deploy, type SmokeInput } from "homebase-stack/deploy";
import { startHosted } from "homebase-stack/hosted";
import { afterAll, beforeAll, expect, test } from "vitest";

const REF = "productionprojectref";
const [BASELINE = ""] = globSync("supabase/migrations/*_baseline.sql");
const NEXT = "supabase/migrations/20991231000000_votes_by_time.sql";
const root = process.cwd();

/** The migrations after the baseline, as the history has them. */
let later: unknown[];
const hosted = await startHosted({ projectFolder: root, ref: REF });
const folder = mkdtempSync(join(tmpdir(), "nosh-deploy-"));
beforeAll(async () => {
  cpSync(join(root, "supabase"), join(folder, "supabase"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(async () => {
  await hosted.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The versions that the baseline replaces. */
const replaced = () =>
  [...readFileSync(join(root, BASELINE), "utf8").matchAll(/^-- homebase: replaces (.*)$/gm)].flatMap(
    ([, list = ""]) => list.split(" "),
  );
const history = () => sql("select version, name from supabase_migrations.schema_migrations order by version");
const sql = async (text: string) => (await hosted.project.database.query("postgres", text)).rows;
const take = (options: Partial<DeployOptions> = {}) =>
  deploy({
    projectFolder: folder,
    ref: REF,
    accessToken: hosted.management.accessToken,
    apiUrl: hosted.management.url,
    projectUrl: hosted.project.url,
    databaseUrl: hosted.databaseUrl,
    secrets: { SITE_URL: "https://nosh.example", MAIL_FROM: "Nosh <nosh@nosh.example>" },
    environment: { ...process.env, NOSH_SITE_URL: "https://nosh.example" },
    cluster: async () => hosted.project.cluster,
    agree: async () => true,
    ...options,
  });
/** Received calls that may change the project. */
const changing = () =>
  hosted.management.received.filter(({ call }) => !/^GET |\/cli\/login-role$/.test(call));
const admin = () =>
  createClient(hosted.project.url, hosted.project.keys.secretKey, { auth: { persistSession: false } });

test("people use a target whose history has every migration that the baseline replaces", async () => {
  const result = await take({ skipSmoke: true });
  expect(result.failure).toBeUndefined();
  expect(result.outcome).toBe("deployed");
  expect(replaced()).not.toHaveLength(0);
  later = (await history()).slice(1);
  await sql("delete from supabase_migrations.schema_migrations where name = 'baseline'");
  await sql(`insert into supabase_migrations.schema_migrations (version, name, statements)
    select version, 'earlier', '{}' from unnest('{${replaced().join(",")}}'::text[]) as version`);
  const { data, error } = await admin().auth.admin.createUser({
    email: "ana@example.org",
    password: "correct horse battery",
    email_confirm: true,
    user_metadata: { display_name: "Ana", time_zone: "Europe/Lisbon" },
  });
  expect(error).toBeNull();
  await sql(`insert into public.places (id, name, latitude, longitude, price, time_zone, created_by)
    values ('00000000-0000-4000-8000-00000000e001', 'Momo', 38.7, -9.1, 2, 'Europe/Lisbon', '${data.user?.id}')`);
  expect(await sql("select display_name from public.profiles where not is_guest")).toEqual([
    { display_name: "Ana" },
  ]);
}, 180_000);

test("a target that lacks some of them is refused by name, and nothing is changed", async () => {
  const [one = "", two = ""] = replaced().slice(-3);
  await sql(`delete from supabase_migrations.schema_migrations where version in ('${one}', '${two}')`);
  const before = await history();
  hosted.management.received.length = 0;
  await expect(take()).rejects.toThrow(
    new RegExp(`It lacks ${one}, ${two}\\. Nothing was changed\\. Check out the commit before`),
  );
  expect(changing()).toEqual([]);
  expect(await history()).toEqual(before);
  await sql(`insert into supabase_migrations.schema_migrations (version) values ('${one}'), ('${two}')`);
});

test("the baseline takes their place without running anything", async () => {
  const before = await sql("select id, display_name, updated_at from public.profiles order by id");
  const result = await take({ skipSmoke: true });
  expect(result.failure).toBeUndefined();
  expect(result.plan.steps.flatMap(({ changes }) => changes)).toEqual([
    `record ${BASELINE} in place of the ${replaced().length - 1} migrations that it replaces, without running it`,
  ]);
  expect(await history()).toEqual([{ version: basename(BASELINE).slice(0, 14), name: "baseline" }, ...later]);
  expect(await sql("select id, display_name, updated_at from public.profiles order by id")).toEqual(before);
}, 180_000);

test("the release after it keeps what they wrote, and works", async () => {
  writeFileSync(
    join(folder, NEXT),
    "create index time_votes_answer_idx on public.time_votes (option_id, answer);\n",
  );
  const before = await sql("select id, display_name from public.profiles where not is_guest");
  /** The app's first request: it reads its own profile, and nobody else's address. */
  const smoke = async ({ user, userId, anonymous }: SmokeInput) => {
    const { data, error } = await user.from("profiles").select("id").eq("id", userId);
    if (error) throw error;
    expect(data).toEqual([{ id: userId }]);
    expect((await anonymous.from("profiles").select("id")).error).not.toBeNull();
  };
  const result = await take({ smoke });
  expect(result.failure).toBeUndefined();
  expect(result.outcome).toBe("deployed");
  expect(result.checks).toContain("the project's own check");
  const step = result.plan.steps.find(({ name }) => name === "migrations");
  expect(step?.changes).toEqual([`apply ${NEXT}`]);
  // There are rows now: the linter warns of locks.
  expect(step?.warnings.join("\n")).toContain("create index on public.time_votes stops writes");
  expect(await sql("select id, display_name from public.profiles where not is_guest")).toEqual(before);
  expect(await sql("select name from public.places")).toEqual([{ name: "Momo" }]);
  expect(await sql("select email from auth.users where email is not null")).toEqual([
    { email: "ana@example.org" },
  ]);
  expect(await sql("select * from storage.objects")).toEqual([]);
  const client = createClient(hosted.project.url, hosted.project.keys.publishableKey, {
    auth: { persistSession: false },
  });
  const { data } = await client.auth.signInWithPassword({
    email: "ana@example.org",
    password: "correct horse battery",
  });
  expect(data.user?.email).toBe("ana@example.org");
}, 180_000);

test("the second time nothing is changed, and a change by hand stops the third", async () => {
  hosted.management.received.length = 0;
  expect((await take()).outcome).toBe("nothing to do");
  expect(changing()).toEqual([]);
  await sql("alter table public.plans disable row level security");
  await expect(take()).rejects.toThrow(
    /differs from its migrations[\s\S]*"plans" DISABLE ROW LEVEL SECURITY/,
  );
}, 180_000);
