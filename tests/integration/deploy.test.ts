/**
 * A deploy of Nosh rehearsed on a stand-in for hosted: from an earlier release's schema with people in it,
 * twice, followed by the app's own requests.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { type DeployOptions, deploy, type SmokeInput } from "homebase-stack/deploy";
import { type Hosted, startHosted } from "homebase-stack/hosted";
import { afterAll, beforeAll, expect, test } from "vitest";

const REF = "productionprojectref";
/** Later migrations belong to the release. */
const EARLIER = "20261121140000";
const root = process.cwd();

let hosted: Hosted;
let folder: string;
beforeAll(async () => {
  hosted = await startHosted({ projectFolder: root, ref: REF });
  folder = mkdtempSync(join(tmpdir(), "nosh-deploy-"));
  cpSync(join(root, "supabase"), join(folder, "supabase"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(async () => {
  await hosted?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const migrations = () => join(folder, "supabase", "migrations");
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
const admin = () =>
  createClient(hosted.project.url, hosted.project.keys.secretKey, { auth: { persistSession: false } });

test("an earlier release is deployed, and people use it", async () => {
  for (const file of readdirSync(migrations())) {
    if (file > `${EARLIER}_~`) rmSync(join(migrations(), file));
  }
  const result = await take({ skipSmoke: true });
  expect(result.failure).toBeUndefined();
  expect(result.outcome).toBe("deployed");
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
}, 60_000);

test("the release after it keeps what they wrote, and works", async () => {
  cpSync(join(root, "supabase", "migrations"), migrations(), { recursive: true });
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
  expect(step?.changes.length).toBe(readdirSync(migrations()).filter((file) => file > `${EARLIER}_~`).length);
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
}, 60_000);

test("the second time nothing is changed, and a change by hand stops the third", async () => {
  hosted.management.received.length = 0;
  expect((await take()).outcome).toBe("nothing to do");
  const changing = hosted.management.received.filter(({ call }) => !/^GET |\/cli\/login-role$/.test(call));
  expect(changing).toEqual([]);
  await sql("alter table public.plans disable row level security");
  await expect(take()).rejects.toThrow(
    /differs from its migrations[\s\S]*"plans" DISABLE ROW LEVEL SECURITY/,
  );
}, 60_000);
