/**
 * Owns: the rules that the forms (zod) and the database share, for validation.test.ts: how a form parses a
 * value, how a program sends it, what the database stores, and which constraint applies.
 */
import { randomUUID } from "node:crypto";
import { messageBody } from "../../web/src/features/chat/message-body.ts";
import { circleName } from "../../web/src/features/circles/schema.ts";
import { emojis } from "../../web/src/features/messages/schema.ts";
import { budget, dietList, displayName } from "../../web/src/features/people/schema.ts";
import { caption } from "../../web/src/features/photos/schema.ts";
import { placeFormSchema } from "../../web/src/features/places/form-schema.ts";
import { problemOf, type Week } from "../../web/src/features/places/hours.ts";
import { plusOnes } from "../../web/src/features/plans/answers.ts";
import { capacity, note, ratingComment, stars, title } from "../../web/src/features/plans/schema.ts";
import { isZone } from "../../web/src/lib/rules.ts";
import { type NoshClient, people, place, plans } from "./people.ts";

export interface Context {
  ana: NoshClient;
  sql(statement: string, values?: unknown[]): Promise<unknown[]>;
}

interface Shared {
  name: string;
  /** "table constraint", of those that this rule tests. */
  constraints: readonly string[];
  /** The form's parsed value; undefined when rejected. */
  form(value: unknown): unknown;
  database(value: unknown, context: Context): PromiseLike<{ error: unknown }>;
  /** A query for the last stored value, as `kept`. */
  kept?: string;
}
export type Rule =
  | (Shared & { kind: "text"; min: number; max: number })
  | (Shared & { kind: "whole"; min: number; max: number })
  | (Shared & { kind: "values"; values: readonly unknown[] });

interface Schema {
  safeParse(value: unknown): { data?: unknown };
}
const parsed = (schema: Schema) => (value: unknown) => schema.safeParse(value).data;

// The client's types match the app; a program may send anything.
const any = (value: unknown) => value as never;

const profile = (fields: object, { ana }: Context) =>
  ana.from("profiles").update(any(fields)).eq("id", people.ana);
const placeFields = { name: "Kitchen", latitude: 1, longitude: 1, price: 1, time_zone: "UTC" };
const savePlace = (fields: object, { ana }: Context) =>
  ana.rpc("save_place", { fields: any({ ...placeFields, ...fields }) });
const placeRule = (field: keyof typeof placeFormSchema.shape) => parsed(placeFormSchema.shape[field]);
const newest = (table: string, column: string) =>
  `select ${column} as kept from public.${table} order by created_at desc limit 1`;
const mine = (column: string) => `select ${column} as kept from public.profiles where id = '${people.ana}'`;

/** The person's own plan that is edited, and a past one with a chosen place. */
async function ownPlan({ ana }: Context): Promise<string> {
  const { data } = await ana.rpc("create_plan", { title: "Own", time_zone: "UTC" });
  return data ?? "";
}
async function overPlan({ sql }: Context): Promise<string> {
  const id = randomUUID();
  await sql(`insert into public.plans (id, title, time_zone) values ('${id}', 'Over', 'UTC')`);
  await sql(
    `insert into public.plan_members (plan_id, user_id, role) values ('${id}', '${people.ana}', 'host')`,
  );
  await sql(
    `with meal as (
       insert into public.time_options (plan_id, starts_at, ends_at)
         values ('${id}', now() - interval '1 day', now() - interval '22 hours') returning id
     ), kitchen as (
       insert into public.place_options (plan_id, place_id) values ('${id}', '${place(4)}') returning id
     ), chosen as (select meal.id as meal, kitchen.id as kitchen from meal, kitchen)
     select 1 from chosen`,
  );
  await sql(
    `update public.plans as p set status = 'confirmed',
       chosen_time_id = (select o.id from public.time_options as o where o.plan_id = p.id),
       chosen_place_id = (select o.id from public.place_options as o where o.plan_id = p.id)
     where p.id = '${id}'`,
  );
  return id;
}

const clock = (opens: string, closes: string) => ({ weekday: 3, opens, closes });
const zones = [
  "UTC",
  "Europe/Lisbon",
  "Asia/Kathmandu",
  "America/Argentina/Buenos_Aires",
  "Etc/GMT+8",
  "EST5EDT",
  "CET",
  "MESZ",
  "PST",
  "Japan",
  "Factory",
  "XYZ-3",
  "right/Europe/Lisbon",
  "posix/Europe/Lisbon",
  "Mars/Olympus",
  " UTC",
  "UTC\n",
  "",
];
const zoneForm = (value: unknown) => (typeof value === "string" && isZone(value) ? value : undefined);

export const rules: readonly Rule[] = [
  {
    name: "display name",
    kind: "text",
    min: 1,
    max: 40,
    constraints: ["profiles profiles_display_name_check"],
    form: parsed(displayName),
    database: (display_name, context) => profile({ display_name }, context),
    kept: mine("display_name"),
  },
  {
    name: "circle's name, a new one",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["circles circles_name_check"],
    form: parsed(circleName),
    database: (name, { ana }) => ana.rpc("create_circle", { name: any(name) }),
    kept: newest("circles", "name"),
  },
  {
    name: "circle's name, another one",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["circles circles_name_check"],
    form: parsed(circleName),
    database: async (name, { ana }) => {
      const { data } = await ana.from("circle_members").select("circle_id").eq("role", "owner").limit(1);
      return ana
        .from("circles")
        .update({ name: any(name) })
        .eq("id", data?.[0]?.circle_id ?? "");
    },
  },
  {
    name: "plan's title",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["plans plans_title_check"],
    form: parsed(title),
    database: (value, { ana }) => ana.rpc("create_plan", { title: any(value), time_zone: "UTC" }),
    kept: newest("plans", "title"),
  },
  {
    name: "plan's title, edited",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["plans plans_title_check"],
    form: parsed(title),
    database: async (value, context) =>
      context.ana
        .from("plans")
        .update({ title: any(value) })
        .eq("id", await ownPlan(context)),
    kept: newest("plans", "title"),
  },
  {
    name: "plan's note",
    kind: "text",
    min: 0,
    max: 1000,
    constraints: ["plans plans_note_check"],
    form: parsed(note),
    database: async (value, context) =>
      context.ana
        .from("plans")
        .update({ note: any(value) })
        .eq("id", await ownPlan(context)),
    kept: newest("plans", "note"),
  },
  {
    name: "place's name",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["places places_name_check"],
    form: placeRule("name"),
    database: (name, context) => savePlace({ name }, context),
    kept: newest("places", "name"),
  },
  {
    name: "what is said about a place",
    kind: "text",
    min: 0,
    max: 280,
    constraints: ["places places_about_check"],
    form: placeRule("about"),
    database: (about, { ana }) =>
      ana.from("places").insert(any({ ...placeFields, about, created_by: people.ana })),
    kept: newest("places", "about"),
  },
  {
    name: "place's address",
    kind: "text",
    min: 0,
    max: 160,
    constraints: ["places places_address_check"],
    form: placeRule("address"),
    database: (address, { ana }) =>
      ana.from("places").insert(any({ ...placeFields, address, created_by: people.ana })),
    kept: newest("places", "address"),
  },
  {
    name: "each cuisine",
    kind: "text",
    min: 1,
    max: 40,
    constraints: ["places cuisines_are_texts"],
    form: (value) => (placeRule("cuisines")([value]) as unknown[] | undefined)?.[0],
    database: (value, { ana }) =>
      ana.from("places").insert(any({ ...placeFields, cuisines: [value], created_by: people.ana })),
    kept: newest("places", "cuisines[1]"),
  },
  {
    name: "cuisines",
    kind: "values",
    values: [
      [],
      ["a"],
      ["a", "b", "c", "d", "e", "f"],
      ["a", "b", "c", "d", "e", "f", "g"],
      [["a"]],
      [null],
      ["a", ""],
    ],
    constraints: ["places places_cuisines_check", "places cuisines_are_texts"],
    form: placeRule("cuisines"),
    database: (cuisines, { ana }) =>
      ana.from("places").insert(any({ ...placeFields, cuisines, created_by: people.ana })),
    kept: newest("places", "cuisines"),
  },
  {
    name: "message",
    kind: "text",
    min: 1,
    max: 2000,
    constraints: ["messages body_has_length"],
    form: parsed(messageBody(false)),
    database: (body, { ana }) =>
      ana
        .from("messages")
        .insert(any({ plan_id: plans.dinner, author_id: people.ana, client_id: randomUUID(), body })),
    kept: "select body as kept from public.messages order by revision desc limit 1",
  },
  {
    name: "message with a photo",
    kind: "text",
    min: 0,
    max: 2000,
    constraints: ["messages body_has_length"],
    form: parsed(messageBody(true)),
    database: async (body, { ana, sql }) => {
      const [photo] = (await sql(
        `insert into public.photos (plan_id, author_id, path, width, height)
         values ('${plans.dinner}', '${people.ana}', '${plans.dinner}/${people.ana}/${randomUUID()}', 1, 1) returning id`,
      )) as { id: string }[];
      return ana.from("messages").insert(
        any({
          plan_id: plans.dinner,
          author_id: people.ana,
          client_id: randomUUID(),
          body,
          photo_id: photo?.id,
        }),
      );
    },
  },
  {
    name: "message, edited",
    kind: "text",
    min: 1,
    max: 2000,
    constraints: ["messages body_has_length"],
    form: parsed(messageBody(false)),
    database: async (body, { ana }) => {
      const { data } = await ana
        .from("messages")
        .insert({ plan_id: plans.dinner, author_id: people.ana, client_id: randomUUID(), body: "first" })
        .select("id")
        .single();
      return ana.rpc("edit_message", { message: data?.id ?? "", body: any(body) });
    },
  },
  {
    name: "photo's caption",
    kind: "text",
    min: 0,
    max: 140,
    constraints: ["photos photos_caption_check"],
    form: parsed(caption),
    database: (value, { ana }) =>
      ana.from("photos").insert(
        any({
          plan_id: plans.dinner,
          author_id: people.ana,
          path: `${plans.dinner}/${people.ana}/${randomUUID()}`,
          width: 1,
          height: 1,
          caption: value,
        }),
      ),
    kept: newest("photos", "caption"),
  },
  {
    name: "comment of a rating",
    kind: "text",
    min: 0,
    max: 500,
    constraints: ["ratings ratings_comment_check"],
    form: parsed(ratingComment),
    database: async (comment, context) =>
      context.ana.rpc("rate_plan", { plan: await overPlan(context), stars: 3, comment: any(comment) }),
    kept: newest("ratings", "comment"),
  },
  {
    name: "stars",
    kind: "whole",
    min: 1,
    max: 5,
    constraints: ["ratings ratings_stars_check"],
    form: parsed(stars),
    database: async (value, context) =>
      context.ana.rpc("rate_plan", { plan: await overPlan(context), stars: any(value) }),
  },
  {
    name: "budget",
    kind: "whole",
    min: 1,
    max: 4,
    constraints: ["profiles profiles_budget_check"],
    form: parsed(budget),
    database: (value, context) => profile({ budget: value }, context),
    kept: mine("budget"),
  },
  {
    name: "diets",
    kind: "values",
    values: [
      [],
      ["vegan", "halal"],
      ["carnivore"],
      [null],
      [["vegan"]],
      Array.from({ length: 9 }, () => "vegan"),
      "x",
    ],
    constraints: ["profiles diets_are_a_list"],
    form: parsed(dietList),
    database: (diets, context) => profile({ diets }, context),
    kept: mine("array(select unnest(diets)::text)"),
  },
  {
    name: "diets that a place is safe for",
    kind: "values",
    values: [[], ["vegan", "halal"], ["carnivore"], [null], [["vegan"]], "x"],
    constraints: ["places safe_diets_are_a_list"],
    form: placeRule("safe_diets"),
    database: (safe_diets, { ana }) =>
      ana.from("places").insert(any({ ...placeFields, safe_diets, created_by: people.ana })),
  },
  {
    name: "price",
    kind: "whole",
    min: 1,
    max: 4,
    constraints: ["places places_price_check"],
    form: placeRule("price"),
    database: (price, context) => savePlace({ price }, context),
  },
  ...([90, 180] as const).map((most): Rule => {
    const field = most === 90 ? "latitude" : "longitude";
    return {
      name: `place's ${field}`,
      kind: "values",
      values: [0, most, -most, most + 1e-9, -most - 1e-9, "x", null],
      constraints: [`places places_${field}_check`],
      form: placeRule(field),
      database: (value, context) => savePlace({ [field]: value }, context),
    };
  }),
  {
    name: "seats",
    kind: "whole",
    min: 2,
    max: 20,
    constraints: ["plans plans_capacity_check"],
    form: parsed(capacity),
    database: (value, { ana }) =>
      ana.rpc("create_plan", { title: "x", time_zone: "UTC", capacity: any(value) }),
  },
  {
    name: "people one brings",
    kind: "whole",
    min: 0,
    max: 5,
    constraints: ["plan_members plan_members_plus_ones_check"],
    form: parsed(plusOnes),
    database: async (value, context) =>
      context.ana.rpc("set_rsvp", { plan: await ownPlan(context), answer: "going", plus_ones: any(value) }),
  },
  {
    name: "zone of a person",
    kind: "values",
    values: zones,
    constraints: ["profiles profiles_time_zone_check"],
    form: zoneForm,
    database: (time_zone, context) => profile({ time_zone }, context),
  },
  {
    name: "zone of a place",
    kind: "values",
    values: zones,
    constraints: ["places places_time_zone_check"],
    form: placeRule("time_zone"),
    database: (time_zone, context) => savePlace({ time_zone }, context),
  },
  {
    name: "zone of a plan",
    kind: "values",
    values: zones,
    constraints: ["plans plans_time_zone_check"],
    form: zoneForm,
    database: (time_zone, { ana }) => ana.rpc("create_plan", { title: "x", time_zone: any(time_zone) }),
  },
  {
    name: "opening times",
    kind: "values",
    values: [
      clock("12:00", "15:00"),
      clock("18:00", "02:00"),
      clock("00:00", "00:00"),
      clock("24:00", "02:00"),
      clock("18:00", "24:00"),
      clock("12:00:30", "15:00"),
      clock("12:60", "15:00"),
      clock("x", "15:00"),
    ],
    constraints: ["place_hours hours_are_on_the_clock"],
    form: (value) => {
      const { weekday, opens, closes } = value as ReturnType<typeof clock>;
      const week: Week = Array.from({ length: 7 }, (_, index) =>
        index === weekday - 1 ? [{ opens, closes }] : [],
      );
      return problemOf(week) === null ? value : undefined;
    },
    database: (value, { ana }) => ana.rpc("save_place", { fields: placeFields, hours: any([value]) }),
  },
  {
    name: "reactions",
    kind: "values",
    values: [...emojis, "🍕", "", "👍🏽", "x"],
    constraints: ["reactions reactions_emoji_check"],
    form: (value) => ((emojis as readonly unknown[]).includes(value) ? value : undefined),
    database: async (emoji, { ana }) => {
      const { data } = await ana
        .from("messages")
        .insert({ plan_id: plans.dinner, author_id: people.ana, client_id: randomUUID(), body: "x" })
        .select("id")
        .single();
      return ana
        .from("reactions")
        .insert(any({ message_id: data?.id, plan_id: plans.dinner, user_id: people.ana, emoji }));
    },
  },
];

/** Constraints without a form field, and why. */
export const notOfForms: Readonly<Record<string, string>> = {
  "invites invite_leads_somewhere": "which link is made, not what is typed",
  "invites invites_max_uses_check": "create_invite brings the number into range",
  "invites uses_within_limit": "a counter",
  "photos path_begins_with_plan": "the app makes the path",
  "photos path_is_plain": "the app makes the path; attacks.test.ts",
  "photos path_has_length": "the app makes the path",
  "photos photos_height_check": "measured",
  "photos photos_width_check": "measured",
  "place_hours place_hours_weekday_check": "the form has seven days",
  "places places_external_id_check": "what the server found elsewhere",
  "places source_has_id": "what the server found elsewhere",
  "plan_members waitlist_has_order": "two columns of one state",
  "plans choice_is_whole": "two columns of one state",
  "plans confirmed_has_choice": "two columns of one state",
  "plans deadline_is_a_day": "the test of what would break screens tries it",
  "private_profiles private_profiles_language_check": "the app says its own language",
  "private_profiles private_profiles_start_latitude_check":
    "a point on a map or from the device; whereabouts.test.ts",
  "private_profiles private_profiles_start_longitude_check": "a point on a map or from the device",
  "private_profiles start_point_is_whole": "two columns of one point",
  "profiles avatar_is_ones_own": "the app makes the path; attacks.test.ts",
  "profiles profiles_avatar_path_check": "the app makes the path",
  "time_options meal_has_length": "time_bad_length, with the other rules of a time: transitions.sql",
};
