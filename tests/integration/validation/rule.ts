/**
 * Owns: what a rule is that a form (zod) and the database share: how the form parses a value, how a program sends it, what
 * the database stores, and which constraint applies; and ways to send that several rules share.
 */
import { randomUUID } from "node:crypto";
import { placeFormSchema } from "../../../web/src/features/places/form-schema.ts";
import { type NoshClient, people, place } from "../people.ts";

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
export const parsed = (schema: Schema) => (value: unknown) => schema.safeParse(value).data;

// The client's types match the app; a program may send anything.
export const any = (value: unknown) => value as never;

export const profile = (fields: object, { ana }: Context) =>
  ana.from("profiles").update(any(fields)).eq("id", people.ana);
export const placeFields = { name: "Kitchen", latitude: 1, longitude: 1, price: 1, time_zone: "UTC" };
export const savePlace = (fields: object, { ana }: Context) =>
  ana.rpc("save_place", { fields: any({ ...placeFields, ...fields }) });
export const placeRule = (field: keyof typeof placeFormSchema.shape) => parsed(placeFormSchema.shape[field]);
export const newest = (table: string, column: string) =>
  `select ${column} as kept from public.${table} order by created_at desc limit 1`;
export const mine = (column: string) =>
  `select ${column} as kept from public.profiles where id = '${people.ana}'`;

/** The person's own plan that is edited, and a past one with a chosen place. */
export async function ownPlan({ ana }: Context): Promise<string> {
  const { data } = await ana.rpc("create_plan", { title: "Own", time_zone: "UTC" });
  return data ?? "";
}
/** A plan of Ana's that decides itself and has a proposal. */
export async function proposedPlan(context: Context): Promise<string> {
  const id = await ownPlan(context);
  await context.sql(
    `insert into public.time_options (plan_id, starts_at, ends_at)
       values ('${id}', now() + interval '2 days', now() + interval '50 hours')`,
  );
  await context.sql(`insert into public.place_options (plan_id, place_id) values ('${id}', '${place(4)}')`);
  await context.sql(
    `update public.plans as p set decides_itself = true, proposed_at = now(), veto_until = now() + interval '1 day',
       proposed_time_id = (select o.id from public.time_options as o where o.plan_id = p.id),
       proposed_place_id = (select o.id from public.place_options as o where o.plan_id = p.id)
     where p.id = '${id}'`,
  );
  return id;
}
export async function overPlan({ sql }: Context): Promise<string> {
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
