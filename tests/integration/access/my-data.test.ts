/** Personal data: all of it is in the export, and none of it outlives the account. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, people, plans, signedIn, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());

test("mail, reads and own places are in the export, and gone with the account", async () => {
  const [ana, dev] = await signedInEach(backend, "ana", "dev");
  const plan = dataOf(await dev.rpc("create_plan", { title: "Mine", time_zone: "UTC" }));
  dataOf(await dev.rpc("invite_by_mail", { plan, addresses: ["friend@else.test"] }));
  dataOf(await ana.rpc("invite_by_mail", { plan: plans.dinner, addresses: ["Dev@nosh.test"] }));
  expect(
    (await dev.rpc("mark_read", { plan: plans.dinner, up_to: new Date().toISOString() })).error,
  ).toBeNull();
  const fields = {
    name: "Dev's",
    latitude: 38.7,
    longitude: -9.1,
    price: 1,
    time_zone: "UTC",
    safe_diets: ["vegan"],
  };
  const place = dataOf(await dev.rpc("save_place", { fields }));
  const circle = dataOf(await dev.from("circle_members").select("circle_id").limit(1).single()).circle_id;
  expect((await dev.from("circle_places").insert({ circle_id: circle, place_id: place })).error).toBeNull();

  const everything = dataOf(await dev.rpc("export_my_data"));
  expect(everything).toMatchObject({
    profile: { id: people.dev },
    message_reads: expect.arrayContaining([expect.objectContaining({ plan_id: plans.dinner })]),
    places: [expect.objectContaining({ id: place, name: "Dev's" })],
    circle_places: [expect.objectContaining({ circle_id: circle, place_id: place })],
    diet_claims: [expect.objectContaining({ place_id: place, diet: "vegan" })],
    mail: {
      choices: [{ address: "dev@nosh.test" }],
      received: [{ kind: "invite", plan_id: plans.dinner }],
      sent: [{ kind: "invite", plan_id: plan, address: "friend@else.test" }],
    },
  });

  expect((await dev.rpc("delete_my_account")).error).toBeNull();
  const left = await backend.sql(
    `select address from private.mail_recipients where address = 'dev@nosh.test'
     union all select address from private.outgoing_mail where address in ('dev@nosh.test', 'friend@else.test')`,
  );
  expect(left).toEqual([]);
});

test("every table that points to a person is in the export, or is said here to hold nothing of theirs", async () => {
  const ana = await signedIn(backend, "ana");
  const exported = Object.keys(dataOf(await ana.rpc("export_my_data")) as object);
  const rows = await backend.sql<{ name: string }>(
    `select distinct c.relname as name from pg_constraint as k join pg_class as c on c.oid = k.conrelid
     where k.contype = 'f' and k.confrelid in ('public.profiles'::regclass, 'auth.users'::regclass, 'public.plan_members'::regclass)
       and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) order by 1`,
  );
  const elsewhere: Record<string, string> = {
    profiles: "profile",
    private_profiles: "private_profile",
    circle_members: "circles",
    plan_members: "plans",
    calendar_feeds: "calendar_feed",
    place_diet_claims: "diet_claims",
    outgoing_mail: "mail",
    left_addresses: "mail",
  };
  /** Their author is recorded for the table, and reveals nothing beyond the plans themselves. */
  const nothing = [
    "plans",
    "time_options",
    "place_options",
    "invites",
    "outgoing_push",
    "personal_links",
    "reminders",
    "removals",
    "usage",
    "sample_plans",
  ];
  const missing = rows
    .map((row) => row.name)
    .filter((name) => !nothing.includes(name) && !exported.includes(elsewhere[name] ?? name));
  expect(missing).toEqual([]);
});
