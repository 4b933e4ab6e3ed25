/**
 * One rule, two places: what the forms take and refuse, the database takes and refuses too. The same values go
 * to both, the database's by the API as the app sends them.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messageBody } from "../../web/src/features/chat/message-body.ts";
import { circleName } from "../../web/src/features/circles/schema.ts";
import { isAddress } from "../../web/src/features/invites/addresses.ts";
import { displayName } from "../../web/src/features/people/schema.ts";
import { note, title } from "../../web/src/features/plans/schema.ts";
import { createBackend, type TestBackend } from "../target/integration.ts";
import { dataOf, type NoshClient, people, plans, signedIn } from "./people.ts";

let backend: TestBackend;
let ana: NoshClient;
beforeAll(async () => {
  backend = await createBackend();
  ana = await signedIn(backend, "ana");
  // These tests are about what may be said, not how often.
  await backend.sql(
    "update private.limits set value = 100000 where name in ('messages_per_minute', 'plans_per_day')",
  );
});
afterAll(() => backend?.drop());

type Answer = PromiseLike<{ error: unknown }>;
interface Rule {
  name: string;
  /** What the form makes of a value; undefined refuses it. */
  form(value: string): string | undefined;
  database(value: string): Answer;
  min: number;
  max: number;
}

const parsed = (schema: { safeParse(value: unknown): { data?: string | undefined } }) => (value: string) =>
  schema.safeParse(value).data;

const rules: Rule[] = [
  {
    name: "display name",
    form: parsed(displayName),
    database: (display_name) => ana.from("profiles").update({ display_name }).eq("id", people.ana),
    min: 1,
    max: 40,
  },
  {
    name: "circle's name",
    form: parsed(circleName),
    database: (name) => ana.rpc("create_circle", { name }),
    min: 1,
    max: 80,
  },
  {
    name: "plan's title",
    form: parsed(title),
    database: (value) => ana.rpc("create_plan", { title: value, time_zone: "UTC" }),
    min: 1,
    max: 80,
  },
  {
    name: "plan's note",
    form: parsed(note),
    database: (value) => ana.rpc("create_plan", { title: "x", time_zone: "UTC", note: value }),
    min: 0,
    max: 1000,
  },
  {
    name: "message",
    form: (value) => parsed(messageBody(false))(value),
    database: (body) =>
      ana
        .from("messages")
        .insert({ plan_id: plans.dinner, author_id: people.ana, client_id: randomUUID(), body }),
    min: 1,
    max: 2000,
  },
];

/** Values at the edges of a rule, and those that only programs send. */
function values({ min, max }: Rule): string[] {
  return [
    "x".repeat(max),
    "x".repeat(max + 1),
    "🍜".repeat(max),
    "🍜".repeat(max + 1),
    "é".repeat(max),
    "x".repeat(Math.max(min, 1)),
    "",
    " ",
    "  two  words  ",
    "\t tab and line \n",
    "\n",
    "\u00a0\u2003\ufeff",
    `${" ".repeat(3)}${"x".repeat(max)}\n`,
    "one\ntwo",
    "nul\0",
    "half \ud83c",
    "مرحبا",
  ];
}

describe.each(rules)("$name", (rule) => {
  test("is the same for form and database", async () => {
    for (const value of values(rule)) {
      const inForm = rule.form(value);
      const { error } = await rule.database(value);
      expect([value.slice(0, 12), value.length, error === null]).toEqual([
        value.slice(0, 12),
        value.length,
        inForm !== undefined,
      ]);
    }
  });
});

test("mail addresses", async () => {
  for (const address of ["a@b.example", "a.b+c@d-e.example", `${"x".repeat(60)}@example.org`]) {
    expect([address, isAddress(address)]).toEqual([address, true]);
    const answer = await ana.rpc("invite_by_mail", { plan: plans.dinner, addresses: [address] });
    expect(dataOf(answer)).toMatchObject([{ outcome: "queued" }]);
  }
  for (const address of ["a@b", "@b.example", "a b@c.example", "a@b..example", "a@b.example, c@d.example"]) {
    expect([address, isAddress(address)]).toEqual([address, false]);
    const { error } = await ana.rpc("invite_by_mail", { plan: plans.dinner, addresses: [address] });
    expect([address, error?.details]).toEqual([address, "mail_bad_address"]);
  }
});
