/** Owns: the shared rules of texts: names, titles, notes, messages, captions, comments. */
import { randomUUID } from "node:crypto";
import { messageBody } from "../../../web/src/features/chat/message-body.ts";
import { circleName } from "../../../web/src/features/circles/schema.ts";
import { vetoReason } from "../../../web/src/features/deciding/schema.ts";
import { displayName } from "../../../web/src/features/people/schema.ts";
import { caption } from "../../../web/src/features/photos/schema.ts";
import { homeAddress } from "../../../web/src/features/places/form-schema.ts";
import { planTexts, textFields } from "../../../web/src/features/plans/fields.ts";
import { ratingComment, ruleOf, title } from "../../../web/src/features/plans/schema.ts";
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
  proposedPlan,
  type Rule,
  savePlace,
} from "./rule.ts";

export const textRules: readonly Rule[] = [
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
    name: "title of a standing dinner",
    kind: "text",
    min: 1,
    max: 80,
    constraints: ["standing_dinners standing_dinners_title_check"],
    form: parsed(title),
    database: async (value, { ana }) => {
      const { data } = await ana.rpc("create_circle", { name: "Standing" });
      return ana.rpc("save_standing_dinner", {
        circle: data ?? "",
        title: any(value),
        rhythm: "weekly",
        rotation: "joining",
        first_on: new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10),
        starts_at: "19:30",
        minutes: 120,
        time_zone: "UTC",
      });
    },
    kept: newest("standing_dinners", "title"),
  },
  ...textFields.map(
    (field): Rule => ({
      name: `plan's ${field}, edited`,
      kind: "text",
      ...planTexts[field],
      constraints: [`plans plans_${field}_check`],
      form: parsed(ruleOf(field)),
      database: async (value, context) =>
        context.ana
          .from("plans")
          .update({ [field]: any(value) })
          .eq("id", await ownPlan(context)),
      kept: newest("plans", field),
    }),
  ),
  {
    name: "reason of an objection",
    kind: "text",
    min: 0,
    max: 140,
    constraints: ["plans plans_veto_reason_check"],
    form: parsed(vetoReason),
    database: async (value, context) =>
      context.ana.rpc("veto_plan", { plan: await proposedPlan(context), reason: any(value) }),
    kept: newest("plans", "veto_reason"),
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
    name: "home's address",
    kind: "text",
    min: 1,
    max: 160,
    constraints: ["place_homes place_homes_address_check"],
    form: parsed(homeAddress),
    database: async (address, { ana }) => {
      const { data } = await ana
        .from("places")
        .insert({ ...placeFields, created_by: people.ana })
        .select("id")
        .single();
      return ana.rpc("save_home", { place: data?.id ?? "", address: any(address) });
    },
    kept: "select address as kept from public.place_homes order by place_id = (select id from public.places order by created_at desc limit 1) desc limit 1",
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
];
