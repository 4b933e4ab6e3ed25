/** A deploy rehearsed on a stand-in for hosted: with data, twice, and interrupted at each step. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { type Hosted, startHosted } from "../../hosted/index.ts";
import { planText, resultText } from "../words.ts";
import { REF, SECOND, type TestProject, testProject } from "./project.ts";

vi.setConfig({ testTimeout: 240_000 });

let hosted: Hosted;
let project: TestProject;
beforeEach(async () => {
  hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
  project = testProject();
});
afterEach(async () => {
  project?.drop();
  await hosted?.close();
});

const sql = async (text: string) => (await hosted.project.database.query("postgres", text)).rows;
const admin = (text: string) => hosted.project.database.query("supabase_admin", text);
const hello = async () => (await fetch(`${hosted.project.url}/functions/v1/hello`)).text();
const SECOND_FILE = "supabase/migrations/20260102000000_authors.sql";
/** What a deploy may do without changing anything. */
const changing = () =>
  hosted.management.received.filter(
    ({ call }) => !call.startsWith("GET ") && !call.endsWith("/cli/login-role"),
  );
/** The outcome of every step by its name. */
const outcomes = (steps: readonly { name: string; outcome: string }[]) =>
  Object.fromEntries(steps.map(({ name, outcome }) => [name, outcome]));

test("a new project becomes what the files say, without seed and demo files", async () => {
  const result = await project.deploy(hosted, { commit: "abc123" });
  expect(result.failure).toBeUndefined();
  expect(result.outcome).toBe("deployed");
  expect(await sql("select * from public.notes")).toEqual([]);
  expect(await sql("select name, public, allowed_mime_types from storage.buckets")).toEqual([
    { name: "pictures", public: true, allowed_mime_types: ["image/png"] },
  ]);
  expect(await sql("select * from storage.objects")).toEqual([]);
  expect(hosted.project.auth).toMatchObject({
    site_url: "https://notes.example",
    uri_allow_list: "",
    mailer_autoconfirm: false,
    smtp_max_frequency: 60,
    password_min_length: 10,
    mailer_subjects_invite: "Come",
    mailer_templates_invite_content: "<p>Come: {{ .ConfirmationURL }}</p>",
  });
  expect(hosted.project.storage.fileSizeLimit).toBe(10 * 1024 ** 2);
  expect(await hello()).toBe("hello the world");
  expect(await sql("select email from auth.users")).toEqual([]);
  expect(await sql("select name, decrypted_secret from vault.decrypted_secrets")).toEqual([
    { name: "project_url", decrypted_secret: `https://${REF}.supabase.co` },
  ]);
  expect(await sql("select version, name from supabase_migrations.schema_migrations")).toEqual([
    { version: "20260101000000", name: "notes" },
  ]);
  const [record] = await sql(
    "select commit, outcome, finished_at is not null as ended from supabase_migrations.deploys",
  );
  expect(record).toEqual({ commit: "abc123", outcome: "deployed", ended: true });
  const told = `${planText(result.plan)}\n${resultText(result)}\n${JSON.stringify(await sql("select * from supabase_migrations.deploys"))}`;
  for (const secret of ["the world", hosted.project.keys.secretKey, hosted.management.accessToken]) {
    expect(told).not.toContain(secret);
  }
}, 180_000);

test("the second run changes nothing; a dry run neither", async () => {
  const planned = await project.deploy(hosted, { agree: undefined } as never);
  expect(planned.outcome).toBe("planned");
  expect(planned.plan.steps.flatMap(({ changes }) => changes).length).toBeGreaterThan(8);
  expect(changing()).toEqual([]);
  expect(await sql("select to_regnamespace('supabase_migrations') as schema")).toEqual([{ schema: null }]);

  await project.deploy(hosted);
  hosted.management.received.length = 0;
  const rows = await sql("select * from supabase_migrations.deploys");
  const again = await project.deploy(hosted);
  expect(again.outcome).toBe("nothing to do");
  expect(changing()).toEqual([]);
  expect(await sql("select * from supabase_migrations.deploys")).toEqual(rows);
}, 180_000);

test("rows of an earlier schema stay, and only what changed is deployed", async () => {
  await project.deploy(hosted);
  await sql("insert into public.notes (body) values ('written by a person')");
  project.write(SECOND_FILE, SECOND);
  project.write("supabase/functions/_shared/word.ts", `export const word = "good evening";`);
  const result = await project.deploy(hosted, { secrets: { WHO: "everybody" } });
  expect(result.outcome).toBe("deployed");
  expect(result.plan.steps.flatMap(({ changes }) => changes)).toEqual([
    `apply ${SECOND_FILE}`,
    "change the secret WHO",
    "replace the function hello (callable without a token)",
  ]);
  expect(await sql("select body, author from public.notes")).toEqual([
    { body: "written by a person", author: null },
  ]);
  expect(await hello()).toBe("good evening everybody");
}, 180_000);

/** How each step is made to fail, and how that is repaired. */
const failures: Record<string, { fail(): unknown; mend?(): unknown }> = {
  vault: {
    fail: () => admin("revoke execute on function vault.create_secret from postgres, service_role"),
    mend: () => admin("grant execute on function vault.create_secret to postgres, service_role"),
  },
  migrations: {
    fail: () => project.write(SECOND_FILE, `create table public.half (id int);\nselect 1/0;`),
    mend: () => project.write(SECOND_FILE, SECOND),
  },
  configuration: {
    fail: () => hosted.management.failures.push({ call: "PATCH /v1/projects/{ref}/config/auth" }),
  },
  buckets: {
    fail: () =>
      admin(`create function storage.refuse() returns trigger language plpgsql as $$ begin raise 'no bucket today'; end $$;
             create trigger refuse before insert on storage.buckets execute function storage.refuse()`),
    mend: () => admin("drop function storage.refuse cascade"),
  },
  secrets: { fail: () => hosted.management.failures.push({ call: "POST /v1/projects/{ref}/secrets" }) },
  functions: { fail: () => hosted.management.failures.push({ call: "PUT /v1/projects/{ref}/functions" }) },
  "smoke test": {
    fail: () =>
      admin(`create function auth.refuse() returns trigger language plpgsql as $$ begin raise 'nobody today'; end $$;
             create trigger refuse before insert on auth.users execute function auth.refuse()`),
    mend: () => admin("drop function auth.refuse cascade"),
  },
};
const ORDER = Object.keys(failures);

test.each(Object.entries(failures))(
  "broken off in %s: it says so, and a second run completes",
  async (name, { fail, mend }) => {
    await fail();
    const broken = await project.deploy(hosted, { allowDrift: true });
    expect(broken.outcome).toBe("failed");
    expect(broken.failure?.step).toBe(name);
    const steps = outcomes(broken.steps);
    for (const step of ORDER.slice(0, ORDER.indexOf(name))) expect(steps[step]).toBe("done");
    for (const step of ORDER.slice(ORDER.indexOf(name) + 1, -1)) expect(steps[step]).toBe("not reached");
    const words = resultText(broken);
    expect(words).toContain(`The deploy stopped in: ${name}.`);
    expect(words).toContain("to go back: ");
    expect(words).not.toContain("the world");
    expect(await sql("select outcome from supabase_migrations.deploys")).toEqual([
      { outcome: `failed: ${name}` },
    ]);
    expect(await sql("select to_regclass('public.half') as half")).toEqual([{ half: null }]);

    await mend?.();
    const second = await project.deploy(hosted);
    expect(second.failure).toBeUndefined();
    expect(second.outcome).toBe("deployed");
    expect(second.plan.resumes).toBe(true);
    const completed = outcomes(second.steps);
    for (const step of ORDER.slice(0, ORDER.indexOf(name))) expect(completed[step]).toBe("unchanged");
    if (name in completed) expect(completed[name]).toBe("done");
    expect(await hello()).toBe("hello the world");
    expect((await project.deploy(hosted)).outcome).toBe("nothing to do");
    expect(await sql("select email from auth.users")).toEqual([]);
  },
  60_000,
);

test("of several Vault entries, those before a failure are stored and not stored again", async () => {
  project.addVaultEntry("second_entry", "the second value");
  await admin(`create function vault.refuse() returns trigger language plpgsql as
                 $$ begin if new.name = 'second_entry' then raise 'no second entry today'; end if; return new; end $$;
               create trigger refuse before insert on vault.secrets for each row execute function vault.refuse()`);
  const broken = await project.deploy(hosted);
  expect(broken.failure).toEqual({ step: "vault", message: "no second entry today" });
  expect(broken.steps[0]).toEqual({
    name: "vault",
    outcome: "failed",
    changes: ["make the Vault entry project_url"],
  });
  const words = resultText(broken);
  expect(words).toContain("make the Vault entry second_entry");
  expect(words).not.toContain("the second value");
  expect(await sql("select to_regclass('public.notes') as notes")).toEqual([{ notes: null }]);

  await admin("drop function vault.refuse cascade");
  const [first] = await sql("select id, updated_at from vault.secrets");
  const second = await project.deploy(hosted);
  expect(second.outcome).toBe("deployed");
  expect(second.steps[0]?.changes).toEqual(["make the Vault entry second_entry"]);
  expect(await sql("select id, updated_at from vault.secrets where name = 'project_url'")).toEqual([first]);
  expect(
    await sql("select name, decrypted_secret as value from vault.decrypted_secrets order by name"),
  ).toEqual([
    { name: "project_url", value: `https://${REF}.supabase.co` },
    { name: "second_entry", value: "the second value" },
  ]);
}, 180_000);

test("an answer that is lost after the work was done is no work for the second run", async () => {
  hosted.management.failures.push({ call: "PUT /v1/projects/{ref}/functions", after: true });
  const broken = await project.deploy(hosted);
  expect(broken.failure?.step).toBe("functions");
  expect(resultText(broken)).toContain("not known to be done: deploy the function hello");
  expect(await hello()).toBe("hello the world");
  expect((await project.deploy(hosted)).outcome).toBe("deployed");
  expect(await hello()).toBe("hello the world");
}, 180_000);

test("a function that does not bundle leaves all functions as they were", async () => {
  await project.deploy(hosted);
  project.write("supabase/functions/_shared/word.ts", `export const word = "new";`);
  hosted.management.failures.push({ call: "POST /v1/projects/{ref}/functions/deploy", status: 400 });
  expect((await project.deploy(hosted)).failure?.step).toBe("functions");
  expect(await hello()).toBe("hello the world");
}, 180_000);

test("a target with a migration of another branch, and a late one, are refused", async () => {
  project.write(SECOND_FILE, SECOND);
  await project.deploy(hosted, { skipSmoke: true });
  project.remove(SECOND_FILE);
  await expect(project.deploy(hosted)).rejects.toThrow("20260102000000");
  project.write(SECOND_FILE, SECOND);
  const late = "supabase/migrations/20260101120000_late.sql";
  project.write(late, "create view public.late with (security_invoker = on) as select 1 as one;");
  await expect(project.deploy(hosted)).rejects.toThrow(`not applied there: ${late}`);
  expect((await project.deploy(hosted, { includeAll: true, skipSmoke: true })).outcome).toBe("deployed");
});

test("another project, a wrong token, development's values and a local secret are refused before any change", async () => {
  const refusal = (options: object) => project.deploy(hosted, options).catch((error: Error) => error.message);
  expect(await refusal({ ref: "zzzzzzzzzzzzzzzzzzzz" })).toContain("names the project");
  expect(await refusal({ accessToken: `sbp_${"0".repeat(40)}` })).toContain("answered 401");
  expect(await refusal({ secrets: { MAIL_URL: "http://127.0.0.1:54324" } })).toContain(
    "The secret MAIL_URL is an address of a development machine.",
  );
  expect(await refusal({ label: "staging" })).toContain("has no [remotes.staging]");
  expect(changing()).toEqual([]);
});

test("two deploys at once: the second one is told to wait", async () => {
  let refused: unknown;
  const result = await project.deploy(hosted, {
    skipSmoke: true,
    agree: async () => {
      refused = await project.deploy(hosted).catch((error: unknown) => error);
      return true;
    },
  });
  expect(String(refused)).toContain("Another deploy to this project is running");
  expect(result.outcome).toBe("deployed");
});

test("a function that is only on the target stays, and goes when asked for", async () => {
  await project.deploy(hosted, { skipSmoke: true });
  project.remove("supabase/functions/hello/index.ts");
  const kept = await project.deploy(hosted, { skipSmoke: true });
  expect(kept.outcome).toBe("nothing to do");
  expect(planText(kept.plan)).toContain("Only on the target, and left there: hello");
  await project.deploy(hosted, { skipSmoke: true, prune: true });
  expect(hosted.project.functions.list()).toEqual([]);
});
