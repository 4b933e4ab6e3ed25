/** Tests that a plan's query asks for each column and each relation that its schema has, and for nothing else. */
import { expect, it } from "vitest";
import type * as z from "zod/mini";
import { planSchema, ratingSchema } from "./schema.ts";
import { ratingColumns, wholePlan } from "./selects.ts";

/** "id, members(role)" as { id: null, members: { role: null } }. A hint for the foreign key is left out. */
function askedOf(select: string): object {
  const inner = select.replace(/(\w+)(?:!\w+)?\(|(\w+)|\)|,/g, (part, relation: string, column: string) =>
    relation ? `"${relation}":{` : column ? `"${column}":null` : part === ")" ? "}" : part,
  );
  return JSON.parse(`{${inner}}`);
}

/** The same of a schema: an array or what may be null is its content. */
function shapeOf(schema: z.ZodMiniType): object | null {
  const { def } = schema._zod as { def: { shape?: object; element?: unknown; innerType?: unknown } };
  const inner = def.element ?? def.innerType;
  if (inner) return shapeOf(inner as z.ZodMiniType);
  if (!def.shape) return null;
  return Object.fromEntries(Object.entries(def.shape).map(([name, one]) => [name, shapeOf(one)]));
}

it("asks for what the schema of a plan has", () => {
  expect(askedOf(wholePlan)).toEqual(shapeOf(planSchema));
});

it("asks for what the schema of a rating has", () => {
  expect(Object.keys(askedOf(ratingColumns))).toEqual(Object.keys(ratingSchema.shape));
});
