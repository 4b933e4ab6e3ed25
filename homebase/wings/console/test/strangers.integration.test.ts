/** Three questions of people who did not make Homebase, on projects of their own: each is answered in the page by a few clicks or keys. */
import { createClient } from "@supabase/supabase-js";
import { describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const MIGRATION = "migrations/20260101000000_notes.sql";
const answer = (stage: Stage) => stage.page.locator(".reasons p:not(.note)").allInnerTexts();

describe("a clinic", () => {
  const stage = new Stage({
    "config.toml": 'project_id = "clinic"\n',
    [MIGRATION]: `create schema app;
create table public.clinics (id uuid primary key, name text not null);
create table public.staff (clinic_id uuid references public.clinics, person uuid references auth.users, duty text not null,
  primary key (clinic_id, person));
create table public.patients (id bigint generated always as identity primary key, clinic_id uuid not null references public.clinics,
  full_name text not null);
create function app.on_duty(clinic uuid) returns boolean language sql stable security definer set search_path = ''
  as $$ select exists (select from public.staff s
    where s.clinic_id = clinic and s.person = (select auth.uid()) and s.duty = 'day') $$;
alter table public.staff enable row level security;
alter table public.patients enable row level security;
create policy "staff on duty see patients" on public.patients for select to authenticated using (app.on_duty(clinic_id));
grant usage on schema app to authenticated;
insert into public.clinics values ('11111111-1111-4111-8111-111111111111', 'Harbour Clinic');
insert into public.patients (clinic_id, full_name) values ('11111111-1111-4111-8111-111111111111', 'Jo Fields');`,
  });

  test("why does the nurse not see the patient, where the policy asks a definer function?", async () => {
    const { page, project } = stage;
    const claims = Buffer.from(stage.token.split(".")[1] ?? "", "base64url").toString();
    const { sub: person } = JSON.parse(claims) as { sub: string };
    const staff = { clinic_id: "11111111-1111-4111-8111-111111111111", person, duty: "night" };
    await project.rest("staff", { method: "POST", body: JSON.stringify(staff) });
    await page.getByRole("button", { name: "Data", exact: true }).click();
    await page.getByRole("button", { name: "patients" }).click();
    await page.getByLabel("Look as").selectOption("as a user…");
    await page.getByRole("button", { name: "eve@example.com" }).click();
    await page.getByText("1 row; eve@example.com gets 0 of these 1").waitFor();
    await page.getByRole("gridcell", { name: "Jo Fields" }).click();
    await expect
      .poll(() => answer(stage))
      .toEqual([
        "Hidden: policy \"staff on duty see patients\" asks app.on_duty(), which wants a row of staff with clinic_id = '11111111-1111-4111-8111-111111111111', person = you and duty = 'day': there is 1 row with this clinic_id (11111111-1111-4111-8111-111111111111), but not with duty = 'day'.",
      ]);
  });
});

describe("a shop", () => {
  const stage = new Stage({
    "config.toml": `project_id = "shop"
[auth.email.smtp]
enabled = true
host = "127.0.0.1"
port = 9
user = "shop"
pass = "secret"
admin_email = "shop@example.com"
`,
    [MIGRATION]: "create table public.orders (id int primary key, total numeric not null);",
  });

  test("why did the mail with the link for a new password not come?", async () => {
    const { page } = stage;
    await stage.call("/auth/v1/recover", "POST", { email: "eve@example.com" }, "");
    await page.getByRole("button", { name: /^Mail/ }).click();
    await page.locator(".row", { hasText: "Reset your password" }).getByText("not sent").waitFor();
    await page.keyboard.press("j");
    await expect
      .poll(() => page.locator(".rail li", { hasText: "Sent" }).innerText())
      .toMatch(/^Sent\s+Error: connect ECONNREFUSED 127\.0\.0\.1:9\s+shut$/);
  });
});

describe("an auction", () => {
  const stage = new Stage({
    "config.toml": 'project_id = "auction"\n',
    [MIGRATION]: `create table public.lots (id int primary key, title text not null);
create table public.bids (id int primary key, lot_id int not null references public.lots, bidder uuid, amount int not null,
  sealed boolean not null default true);
alter table public.bids enable row level security;
create policy "open bids and your own" on public.bids for select to authenticated
  using (not sealed or bidder = auth.uid());
alter publication supabase_realtime add table public.bids;
insert into public.lots values (4, 'Oak table');`,
  });

  test("why did the page of a bidder hear nothing of a new bid?", async () => {
    const { page, project } = stage;
    const client = createClient(project.url, project.key, { auth: { persistSession: false } });
    await client.auth.signInWithPassword({ email: "eve@example.com", password: "correct horse battery" });
    const channel = client
      .channel("lot 4")
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "bids" }, () => undefined);
    await new Promise<void>((resolve) => {
      channel.on("system", {}, ({ status }) => status === "ok" && resolve()).subscribe();
    });
    const bid = { id: 12, lot_id: 4, amount: 300 };
    await project.rest("bids", { method: "POST", body: JSON.stringify(bid) });
    await page.keyboard.press("/");
    await page.keyboard.type("is:change table:bids");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".row .path").allInnerTexts()).toEqual(["bids (12)"]);
    await page.keyboard.press("j");
    await expect
      .poll(() => answer(stage))
      .toContain(
        'Not delivered: policy "open bids and your own" has alternatives, and none holds: sealed, not the bidder.',
      );
    await client.removeChannel(channel);
  });
});
