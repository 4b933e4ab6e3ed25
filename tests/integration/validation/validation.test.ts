/**
 * One rule, two places: the forms and the database accept, reject and store the same values. The same raw
 * values go to both, to the database through the API as any program may send them. Each constraint of the
 * public tables is either tested by a rule here, or has no form field, with the reason.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { isAddress } from "../../../web/src/features/invites/addresses.ts";
import { title } from "../../../web/src/features/plans/schema.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, people, plans, signedIn } from "../people.ts";
import { notOfForms } from "./not-of-forms.ts";
import type { Context, Rule } from "./rule.ts";
import { textRules } from "./text-rules.ts";
import { valueRules } from "./value-rules.ts";

const rules: readonly Rule[] = [...textRules, ...valueRules];

let context: Context;
const backend = await forThisFile(createBackend());
const ana = await signedIn(backend, "ana");
beforeAll(async () => {
  // These tests are about values, not about rate limits.
  await backend.sql(
    "update private.limits set value = 100000 where name like '%\\_per\\_%' or name in ('plan_photos', 'circles_owned')",
  );
  context = { ana, sql: (statement, values) => backend.sql(statement, values) };
});

/** Code points relevant to trimming: those that JavaScript's trim() removes, and similar ones. */
const blanks = [
  ..." \t\n\r\f\v",
  ..."\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
  // Invisible, but not removed by trim(): kept within a text, and not a text by themselves.
  ..."\u200b\u180e\u2800\u3164\u200d\u00ad\ufe0f",
  // Line breaks that trim() keeps, and marks of direction: a name has no override or isolate, and may have U+200E or F.
  ..."\u0085\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
];

/** Texts at the limits of a rule, raw, and those that only programs send. */
function texts({ min, max }: { min: number; max: number }): unknown[] {
  return [
    "x".repeat(max),
    "x".repeat(max + 1),
    "🍜".repeat(max),
    "🍜".repeat(max + 1),
    "é".repeat(max),
    "x".repeat(Math.max(min, 1)),
    "",
    ...blanks,
    ...blanks.map((blank) => `${blank}two  words${blank}${blank}`),
    `${blanks.join("")}x${blanks.join("")}`,
    blanks.join(""),
    "👩‍🍳",
    // Too long as sent, but not after trimming; and too long after trimming.
    `${" ".repeat(3)}${"x".repeat(max)}\n`,
    `\u00a0${"x".repeat(max + 1)}\u00a0`,
    "\u200b".repeat(max + 1),
    "one\ntwo",
    "nul\0",
    "half \ud83c",
    "مرحبا",
    "<script>alert(1)</script>".slice(0, max),
    null,
  ];
}

const numbers = ({ min, max }: { min: number; max: number }): unknown[] => [
  min,
  max,
  min - 1,
  max + 1,
  min - 0.5,
  min + 0.5,
  "x",
  2 ** 40,
];

const valuesOf = (rule: Rule): readonly unknown[] =>
  rule.kind === "text" ? texts(rule) : rule.kind === "whole" ? numbers(rule) : rule.values;

describe.each(rules)("$name", (rule) => {
  test("is the same for form and database", async () => {
    for (const value of valuesOf(rule)) {
      const said = JSON.stringify(value)?.slice(0, 40);
      const inForm = rule.form(value);
      const { error } = await rule.database(value, context);
      expect([said, error === null]).toEqual([said, inForm !== undefined]);
      if (inForm !== undefined && rule.kept) {
        const [row] = await backend.sql<{ kept: unknown }>(rule.kept);
        expect([said, row?.kept]).toEqual([said, inForm]);
      }
    }
  });
});

test("each constraint of the public tables is tried above, or is no form's", async () => {
  const constraints = await backend.sql<{ name: string }>(
    `select conrelid::regclass::text || ' ' || conname as name from pg_constraint
     where contype = 'c' and connamespace = 'public'::regnamespace order by name`,
  );
  const tried = [...rules.flatMap((rule) => rule.constraints), ...Object.keys(notOfForms)];
  expect(constraints.map(({ name }) => name)).toEqual([...new Set(tried)].toSorted());
});

test("form and database see the same characters", async () => {
  const ranges = [
    [1, 0xd7ff],
    [0xe000, 0x1ffff],
    [0xe0000, 0xe1000],
  ] as const;
  for (const [first, last] of ranges) {
    const rows = await backend.sql<{ code: number }>(
      "select code from generate_series($1::integer, $2::integer) as code where not private.is_text(chr(code), 1, 80)",
      [first, last],
    );
    const inForm = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(
      (code) => title.safeParse(String.fromCodePoint(code)).data !== String.fromCodePoint(code),
    );
    expect(rows.map(({ code }) => code)).toEqual(inForm);
  }
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

test("no zone that the database takes is one that a browser does not know", async () => {
  const zones = await backend.sql<{ name: string }>(
    `select name from (select name from pg_timezone_names union select abbrev from pg_timezone_abbrevs) as zones
     where private.is_time_zone(name)`,
  );
  expect(zones.length).toBeGreaterThan(400);
  for (const { name } of zones) expect(() => new Intl.DateTimeFormat("en", { timeZone: name })).not.toThrow();
});

test("what would break the screens of everybody at the table is refused", async () => {
  // The API reads JSON: nested lists, lists with nulls, and days without an end.
  const profile = (fields: Record<string, unknown>) =>
    ana
      .from("profiles")
      .update(fields as never)
      .eq("id", people.ana);
  for (const fields of [
    { diets: [null] },
    { diets: [["vegan"], ["halal"]] },
    { diets: Array.from({ length: 9 }, () => "vegan") },
    { time_zone: "MESZ" },
    { time_zone: "right/Europe/Lisbon" },
  ]) {
    expect([fields, (await profile(fields)).error?.code]).toEqual([fields, "23514"]);
  }
  const plan = await ana.rpc("create_plan", { title: "x", time_zone: "UTC" });
  const edit = (fields: Record<string, unknown>) =>
    ana
      .from("plans")
      .update(fields as never)
      .eq("id", plan.data ?? "");
  expect((await edit({ vote_deadline: "infinity" })).error?.details).toBe("time_too_far");
  expect((await edit({ vote_deadline: "294270-01-01" })).error?.details).toBe("time_too_far");
  const late = await ana.rpc("create_plan", { title: "x", time_zone: "UTC", vote_deadline: "infinity" });
  expect(late.error?.details).toBe("time_too_far");
});

test("a place has a bounded number of opening times", async () => {
  const hours = Array.from({ length: 43 }, (_, index) => ({
    weekday: (index % 7) + 1,
    opens: `${String(Math.floor(index / 7)).padStart(2, "0")}:00`,
    closes: `${String(Math.floor(index / 7)).padStart(2, "0")}:30`,
  }));
  const fields = { name: "Busy", latitude: 1, longitude: 1, price: 1, time_zone: "UTC" };
  const many = await ana.rpc("save_place", { fields, hours });
  expect(many.error?.details).toBe("too_many_hours");
  expect((await ana.rpc("save_place", { fields, hours: hours.slice(0, 42) })).error).toBeNull();
});
