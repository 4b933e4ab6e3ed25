/** Owns: the shared rules of numbers, lists, zones, hours and reactions. */
import { randomUUID } from "node:crypto";
import { emojis } from "../../../web/src/features/messages/schema.ts";
import { budget, dietList } from "../../../web/src/features/people/schema.ts";
import { problemOf, type Week } from "../../../web/src/features/places/hours.ts";
import { plusOnes } from "../../../web/src/features/plans/answers.ts";
import { capacity, stars } from "../../../web/src/features/plans/schema.ts";
import { isZone } from "../../../web/src/lib/rules.ts";
import { people, plans } from "../people.ts";
import {
  any,
  mine,
  newest,
  overPlan,
  ownPlan,
  parsed,
  placeFields,
  placeRule,
  profile,
  type Rule,
  savePlace,
} from "./rule.ts";

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

export const valueRules: readonly Rule[] = [
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
  {
    name: "place's phone",
    kind: "values",
    values: [
      "",
      "112",
      "+351 21 347 0000",
      " (030) 12-34/5.6 ",
      "12",
      "+",
      "call me",
      "+49+30 1234",
      "1234567890123456",
      "tel:123",
      "123;ext=4",
      "１２３４",
      null,
    ],
    constraints: ["places places_phone_check"],
    form: (value) => placeRule("phone")(value ?? ""),
    database: (phone, context) => savePlace({ phone }, context),
    kept: newest("places", "phone"),
  },
  {
    name: "place's booking page",
    kind: "values",
    values: [
      "",
      "https://book.test",
      "https://book.test:8443/t?for=6#now",
      " https://book.test/ ",
      "http://book.test",
      "javascript:alert(1)",
      "https://name@book.test",
      "https://book.test@evil.test/",
      "https://book",
      "https:///x",
      "https://book.test/a b",
      "https://book.test\\evil",
      "HTTPS://book.test",
      `https://book.test/${"a".repeat(500)}`,
      null,
    ],
    constraints: ["places places_booking_url_check"],
    form: (value) => placeRule("booking_url")(value ?? ""),
    database: (booking_url, context) => savePlace({ booking_url }, context),
    kept: newest("places", "booking_url"),
  },
  ...([90, 180] as const).map((most): Rule => {
    const field = most === 90 ? "latitude" : "longitude";
    return {
      name: `place's ${field}`,
      kind: "values",
      values: [0, most, -most, most + 1e-9, -most - 1e-9, "x", null],
      constraints: [`places places_${field}_check`],
      form: placeRule(field),
      // A position is unknown as a whole.
      database: (value, context) =>
        savePlace(value === null ? { latitude: null, longitude: null } : { [field]: value }, context),
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
