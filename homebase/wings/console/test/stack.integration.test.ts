/** The Stack view and the strips above the Feed in a real browser, over a stack that has each state. */
import { expect, test, vi } from "vitest";
import { connected } from "../../../src/postgres/connected.ts";
import type {
  ConfigValue,
  Health,
  Live,
  MigrationState,
  Migrations,
  Policies,
  StackFunction,
} from "../server/api.ts";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

/** By what it is; none of them may be in any answer. */
const SECRETS = {
  function: "sesame-of-functions",
  provider: "sesame-of-github",
  vault: "sesame-of-the-vault",
  sms: "sesame-of-twilio",
  hook: "v1,whsec_c2VzYW1lLW9mLXRoZS1ob29r",
  address: "sesame-in-an-address",
  query: "sesame-in-a-query",
  code: "246802",
  list: "https://sesame-in-a-list.example",
  jwt: "super-secret-jwt-token-with-at-least-32-characters-long",
  key: "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz",
};

const stage = new Stage({
  "config.toml": `project_id = "stack"
[api]
port = 54321
[auth]
site_url = "http://127.0.0.1:3000"
additional_redirect_urls = ["env(APP_URL)"]
[auth.email]
max_frequency = "2s"
[auth.external.github]
client_id = "visible"
secret = "env(GITHUB_SECRET)"
[auth.sms.test_otp]
4152127777 = "${SECRETS.code}"
[auth.sms.twilio]
auth_token = "${SECRETS.sms}"
[auth.hook.send_sms]
uri = "http://ana:${SECRETS.address}@127.0.0.1:9/sms?key=${SECRETS.query}"
secrets = "${SECRETS.hook}"
[db.vault]
mine = "${SECRETS.vault}"
[edge_runtime.secrets]
WORD = "${SECRETS.function}"
[functions.hello]
verify_jwt = false
[functions.away]
enabled = false
`,
  ".env": `GITHUB_SECRET=${SECRETS.provider}\nAPP_URL=${SECRETS.list}\n`,
  "migrations/20260103000000_stack.sql": `create extension pg_cron; create extension vector;
select cron.schedule('tidy', '0 3 * * *', 'create table if not exists public.tidied (id int)');
create table public.plans (id int primary key, host uuid, open boolean not null);
insert into public.plans values (1, '00000000-0000-4000-8000-0000000000a1', true), (2, null, false);
create table public.votes (id int primary key);
create table public.sketches (id int primary key);
alter table public.plans enable row level security;
alter table public.votes enable row level security;
create policy "members read" on public.plans for select to authenticated using (open);
create policy "hosts edit" on public.plans for update to authenticated using (host = auth.uid()) with check (open or host is null);
create policy "never of anon" on public.plans as restrictive using (current_user <> 'anon');
grant select, update on public.plans to anon, authenticated;
grant select on public.votes, public.sketches to authenticated;`,
  "tests/plans.sql": `begin;
select plan(1);
set local role authenticated;
select is((select count(*) from public.plans), 1::bigint, 'an open plan');
select * from finish();
rollback;`,
});
stage.project.environment = { SUPABASE_API_MAX_ROWS: "77" };

/** A call of the page, as text: what is not asked for may not be in it either. */
const answer = (name: string, ask: object = {}) =>
  stage.page.evaluate(
    async ([call, body]) => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${sessionStorage.getItem("token")}`,
      };
      return (await fetch(`/api/${call}`, { method: "POST", headers, body: JSON.stringify(body) })).text();
    },
    [name, ask] as const,
  );
const told = async <T>(name: string) => JSON.parse(await answer(name)) as T;
const at = async (path: string) => {
  await stage.page.goto(stage.console + path);
  await stage.page.getByText("Live", { exact: true }).or(stage.page.locator("main.stack")).first().waitFor();
};
const grid = (name: string) => stage.page.getByRole("grid", { name });
const cell = (text: string | RegExp) => stage.page.getByRole("gridcell", { name: text }).first();
const pane = () => stage.page.getByRole("region", { name: "Details" });

test("policies have their parts with what tests have decided, tables without one say who reads them, and advisors are heard", async () => {
  const before = await told<Policies>("policies");
  expect(before.uncounted).toMatch(/HOMEBASE_COVERAGE=1/);
  expect(before.tables[0]?.policies[0]?.parts[0]?.decided).toBeUndefined();
  stage.project.environment = { ...stage.project.environment, HOMEBASE_COVERAGE: "1" };
  const run = await stage.project.run("test", "db");
  expect(run.code, run.stderr + run.stdout).toBe(0);
  const { tables, findings, uncounted } = await told<Policies>("policies");
  expect(uncounted).toBeUndefined();
  const table = (name: string) => tables.find((one) => one.schema === "public" && one.name === name);
  expect(table("plans")?.policies).toMatchObject([
    {
      name: "hosts edit",
      command: "update",
      permissive: true,
      roles: ["authenticated"],
      parts: [
        {
          kind: "using",
          text: "host = auth.uid()",
          decided: { true: 0, false: 0, missing: ["true", "false"] },
        },
        { kind: "check", text: "open" },
        { kind: "check", text: "host IS NULL" },
      ],
    },
    { name: "members read", parts: [{ text: "open", decided: { true: 1, false: 1, missing: [] } }] },
    { name: "never of anon", permissive: false, roles: [], parts: [{ decided: { missing: ["false"] } }] },
  ]);
  expect(table("plans")?.policies[0]?.text).toBe(
    `create policy "hosts edit" on "public"."plans"\n  for update\n  to "authenticated"\n  using (host = auth.uid())\n  with check ((open) OR (host IS NULL))`,
  );
  expect([table("votes"), table("sketches")]).toMatchObject([
    { rowSecurity: true, policies: [] },
    { rowSecurity: false, policies: [], readers: ["anon", "authenticated"] },
  ]);
  expect(findings).toContainEqual({
    level: "ERROR",
    title: "A table of the API has no row level security",
    object: "public.sketches",
  });

  await at("/stack/policies");
  const rows = grid("Policies").locator(".tbody .tr");
  await rows.filter({ hasText: "votes" }).getByText("no policy: readable by nobody").waitFor();
  await rows
    .filter({ hasText: "sketches" })
    .getByText("row security is off: everybody with the grant")
    .waitFor();
  await rows.filter({ hasText: "members read" }).getByText("1 true, 1 false").waitFor();
  await cell("hosts edit").click();
  await pane().getByText("of the rows: never true, never false").waitFor();
  await pane().locator("pre", { hasText: "with check ((open) OR (host IS NULL))" }).waitFor();
  await stage.check("policy");
  await stage.page.keyboard.press("Escape");
  await stage.page.getByText(/findings? of the advisors/).click();
  await stage.page.getByText("A table of the API has no row level security: public.sketches").waitFor();
  await stage.check("policies");
});

test("values have their origin, and secrets are in no answer", async () => {
  const values = await told<ConfigValue[]>("config");
  const of = (key: string) => values.find((one) => one.key === key);
  expect(of("project_id")).toEqual({ file: "config.toml", key: "project_id", value: '"stack"', line: 1 });
  expect(of("api.max_rows")).toEqual({
    file: "config.toml",
    key: "api.max_rows",
    value: "77",
    variable: "SUPABASE_API_MAX_ROWS",
  });
  expect(of("api.port")).toMatchObject({ line: 3, moved: stage.project.offset });
  expect(of("auth.external.github.secret")).toMatchObject({ line: 11, variable: "GITHUB_SECRET" });
  expect(of("auth.external.github.client_id")).toMatchObject({ value: '"visible"', line: 10 });
  expect(of("auth.jwt_expiry")).toEqual({ file: "config.toml", key: "auth.jwt_expiry", value: "3600" });
  expect(of("auth.email.max_frequency")).toMatchObject({ value: "2000 ms" });
  expect(of("auth.hook.send_sms.uri")?.value).toContain("127.0.0.1:9/sms");
  for (const name of ["policies", "migrations", "config", "functions", "extensions", "health", "live"]) {
    const text = await answer(name);
    expect(text).not.toMatch(/^\{"error"/);
    for (const [what, secret] of Object.entries(SECRETS))
      expect([name, what, text.includes(secret)]).toEqual([name, what, false]);
  }
  await at("/stack/config?q=max_rows");
  await cell("api.max_rows").waitFor();
  await expect
    .poll(() => grid("Config").locator(".tbody .td").allInnerTexts())
    .toEqual(["api.max_rows", "77", "SUPABASE_API_MAX_ROWS"]);
  await stage.page.getByRole("searchbox").fill("no such key");
  await stage.page.getByText("No row matches.").waitFor();
  await stage.check("config without a match");
  await stage.page.getByRole("button", { name: "Clear the filter" }).click();
  await grid("Config").focus();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await stage.page.keyboard.press(key);
  await pane().getByText("value", { exact: true }).waitFor();
  await stage.check("config");
});

test("functions say whether they run and how their last call ended; extensions what they are", async () => {
  await stage.call("/functions/v1/hello", "POST", {});
  const functions = await told<StackFunction[]>("functions");
  expect(functions).toMatchObject([
    { name: "away", state: "disabled" },
    {
      name: "hello",
      state: "running",
      verifyJwt: false,
      file: "supabase/functions/hello/index.ts",
      last: { status: 200 },
    },
  ]);
  await at("/stack/functions");
  await cell(/^200, \d+ ms, \d+ s ago$/).click();
  await pane().getByRole("button", { name: "Show its calls" }).waitFor();
  await stage.check("functions");
  await pane().getByRole("button", { name: "Show its calls" }).click();
  await stage.row("hello").first().waitFor();
  await at("/stack/extensions?q=vector");
  await cell("stand-in").click();
  await pane()
    .getByText(/^reimplemented/)
    .waitFor();
  await stage.check("extensions");
});

test("health is asked for while it is open, and not after", async () => {
  const { page } = stage;
  const asked: number[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/health")) asked.push(Date.now());
  });
  await page.clock.install();
  // The stack's own clock goes on as ever: its answers are told apart by a minute each.
  await page.route("**/api/health", async (route) => {
    const response = await route.fetch();
    const health = (await response.json()) as Health;
    // A database alone is not all: Postgres has its log of changes beside it.
    expect(health.folder).toBeGreaterThan(health.database);
    const count = asked.length;
    await route.fulfill({ json: { ...health, at: health.at + count * 60_000, sockets: count % 4 } });
  });
  await at("/stack/health");
  await page.getByRole("img", { name: /^Connections: now \d+, from/ }).waitFor();
  await page.getByText(/^\d+ of \d+ that Postgres takes$/).waitFor();
  const line = page.getByRole("img", { name: /^Sockets/ }).locator("polyline");
  for (let answers = 2; answers <= 7; answers += 1) {
    await page.clock.fastForward(5_000);
    await expect
      .poll(async () => (await line.getAttribute("points"))?.split(" ").length)
      .toBeGreaterThanOrEqual(answers);
  }
  await stage.check("health");
  await page.getByRole("button", { name: "Policies" }).click();
  await grid("Policies").waitFor();
  const last = asked.length;
  await page.clock.fastForward(60_000);
  await grid("Policies").waitFor();
  expect(asked.length).toBe(last);
});

test("a message is sent to a channel with members, a function is called and a job run from the strip", async () => {
  const { page } = stage;
  await at("/?q=service:realtime");
  await page.getByText("Nobody is in a channel now.").waitFor();
  const socket = new WebSocket(
    `${stage.project.url.replace("http", "ws")}/realtime/v1/websocket?apikey=${stage.project.key}&vsn=1.0.0`,
  );
  const heard: string[] = [];
  socket.addEventListener("message", ({ data }) => heard.push(String(data)));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(
    JSON.stringify({ topic: "realtime:room 1", event: "phx_join", ref: "1", payload: { config: {} } }),
  );
  await expect
    .poll(async () => (await told<Live>("live")).channels)
    .toEqual([{ topic: "room 1", private: false, members: 1 }]);
  await at("/?q=service:realtime");
  await page.getByRole("button", { name: "room 1 1 member" }).waitFor();
  await stage.check("channels");
  await page.getByRole("button", { name: "Send a message: room 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Send a message to room 1" });
  await dialog.getByRole("textbox", { name: "Body" }).fill('{"hello":"room"}');
  await dialog.getByRole("button", { name: "Send request" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => heard.join()).toContain('{"hello":"room"}');
  socket.close();

  await at("/?q=service:functions");
  await page.getByRole("button", { name: "Call: hello" }).click();
  await page
    .getByRole("dialog", { name: "Call hello" })
    .getByRole("button", { name: "Send request" })
    .click();
  await pane().getByText("200").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^hello running/ }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("service:functions function:hello");
  await stage.check("functions strip");

  await at("/?q=is:job");
  await page.getByRole("button", { name: /^tidy 0 3 \* \* \*, next in \d+ (?:s|min|h|d)$/ }).waitFor();
  await page.getByRole("button", { name: "Run now: tidy" }).click();
  await page.locator(".row", { hasText: "CREATE" }).waitFor();
  await page.getByRole("button", { name: /^tidy / }).click();
  await page.locator(".row", { hasText: "CREATE" }).waitFor();
  await stage.check("jobs");
  expect(JSON.parse(await answer("runJob", { id: "99" })).error.message).toMatch(/no longer there/);
});

test("each migration has its state, a failed one its error and line, and the command to copy", async () => {
  const states = async () =>
    (await told<Migrations>("migrations")).migrations.map(({ version, state }: MigrationState) => [
      version,
      state,
    ]);
  expect(await states()).toEqual([
    ["20260101000000", "applied"],
    ["20260103000000", "applied"],
  ]);
  await at("/stack/migrations");
  await grid("Migrations").waitFor();
  expect(await stage.page.locator(".cleared p").count()).toBe(0);
  stage.project.write("migrations/notes.sql", "-- no migration");
  stage.project.write("migrations/20260106000000_after.sql", "select 1;");
  stage.project.write("migrations/20260105000000_votes.sql", "select 1;\n\ndrop table public.voters;");
  await expect.poll(states, { timeout: 15_000 }).toEqual([
    ["", "skipped"],
    ["20260101000000", "applied"],
    ["20260103000000", "applied"],
    ["20260105000000", "failed"],
    ["20260106000000", "not applied"],
  ]);
  await stage.page.getByRole("button", { name: "Refresh" }).click();
  await stage.page.getByText('20260105000000 line 3: table "voters" does not exist').waitFor();
  await cell("failed at line 3").click();
  await pane().getByText("supabase/migrations/20260105000000_votes.sql:3", { exact: true }).waitFor();
  await pane().locator("pre", { hasText: "npx homebase migrate" }).waitFor();
  await stage.check("migration");
  await connected({ connectionString: stage.project.database }, (client) =>
    client.query(
      "insert into supabase_migrations.schema_migrations (version, name) values ('20270101000000', 'gone')",
    ),
  );
  expect((await states()).slice(-2)).toEqual([
    ["20260106000000", "older than an applied one"],
    ["20270101000000", "no file"],
  ]);
  await stage.page.keyboard.press("Escape");
  await stage.page.getByRole("button", { name: "Refresh" }).click();
  await cell("no file").click();
  await pane()
    .locator("pre", { hasText: "npx homebase migration repair 20270101000000 --status reverted" })
    .waitFor();
  await stage.page.keyboard.press("Escape");
  await stage.check("migrations");
  expect((await told<Policies>("policies")).uncounted).toMatch(/No test has counted/);
});

test("a list that cannot be read says why, and an unknown one that there is none", async () => {
  const { page } = stage;
  await page.route("**/api/extensions", (route) =>
    route.fulfill({
      status: 422,
      json: { error: { message: "the database system is shutting down (57P03)" } },
    }),
  );
  await at("/stack/extensions");
  await page.getByRole("alert").getByText("shutting down").waitFor();
  await stage.check("not read");
  await page.unroute("**/api/extensions");
  await page.getByRole("button", { name: "Refresh" }).click();
  await cell("plpgsql").waitFor();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.goto(`${stage.console}/stack/nothing`);
  await page.getByText("The console has no page /stack/nothing.").waitFor();
});
