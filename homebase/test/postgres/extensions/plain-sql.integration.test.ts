/** Extensions that are plain SQL here: pgjwt, pgmq, pg_jsonschema. */
import { describe, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";
import { forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(
  createBackend({
    projectFolder: projectWith("", {
      "20260101000000_extensions.sql":
        "create extension pgjwt with schema extensions; create extension pgmq; create extension pg_jsonschema with schema extensions;",
    }),
  }),
);

it("pgjwt signs as RFC 7515 and jwt.io do, and verifies signature and times", async () => {
  // The example token of jwt.io.
  const token =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ";
  const [row] = await backend.sql(
    `select extensions.sign('{"sub":"1234567890","name":"John Doe","admin":true}', 'secret') as token,
       (select valid from extensions.verify($1, 'secret')) as valid,
       (select valid from extensions.verify($1, 'other')) as other,
       (select valid from extensions.verify(extensions.sign('{"exp":1}', 'secret'), 'secret')) as late,
       (select payload ->> 'sub' from extensions.verify(extensions.sign('{"sub":"ü"}', 's', 'HS512'), 's', 'HS512')) as sub`,
    [token],
  );
  expect(row).toEqual({ token, valid: true, other: false, late: false, sub: "ü" });
  await expect(backend.sql("select extensions.sign('{}', 's', 'none')")).rejects.toThrow("Cannot use");
});

it("pgmq sends, reads, archives", async () => {
  await backend.sql("select pgmq.create('mail')");
  await backend.sql(`select pgmq.send('mail', '{"to":"a"}')`);
  const [message] = await backend.sql("select msg_id::int, read_ct, message from pgmq.read('mail', 30, 1)");
  expect(message).toEqual({ msg_id: 1, read_ct: 1, message: { to: "a" } });
  expect(await backend.sql("select * from pgmq.read('mail', 30, 1)")).toEqual([]);
  expect(await backend.sql("select pgmq.archive('mail', 1) as archived")).toEqual([{ archived: true }]);
  expect(await backend.sql("select count(*)::int from pgmq.a_mail")).toEqual([{ count: 1 }]);
});

describe("pg_jsonschema", () => {
  const check = async (schema: unknown, instance: unknown) =>
    (
      await backend.sql<{ errors: string[]; matches: boolean }>(
        `select extensions.jsonschema_validation_errors($1::json, $2::json) as errors,
           extensions.jsonb_matches_schema($1::json, $2::jsonb) as matches`,
        [JSON.stringify(schema), JSON.stringify(instance)],
      )
    )[0];
  const tree = {
    $defs: {
      node: {
        type: "object",
        required: ["v"],
        properties: { v: { type: "integer" }, next: { $ref: "#/$defs/node" } },
      },
    },
    $ref: "#/$defs/node",
  };
  it.each([
    [{ maxLength: 4 }, "123456789", ['"123456789" is longer than 4 characters']],
    [{ type: "string" }, 1, ['1 is not of type "string"']],
    [{ type: ["string", "null"] }, true, ['true is not of types "string", "null"']],
    [{ type: "integer" }, 1.0, []],
    [{ required: ["a"] }, {}, ['"a" is a required property']],
    [
      { properties: { a: { minimum: 3 } }, additionalProperties: false },
      { a: 2, b: 1 },
      ["2 is less than the minimum of 3", "Additional properties are not allowed ('b' was unexpected)"],
    ],
    [{ patternProperties: { "^x": { type: "number" } } }, { x1: "a" }, ['"a" is not of type "number"']],
    [{ items: { enum: [1, 2] } }, [1, 3], ["3 is not one of [1, 2]"]],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["False schema does not allow 1"]],
    [
      { oneOf: [{ type: "number" }, { minimum: 2 }] },
      3,
      ["3 is valid under more than one of the schemas listed in the 'oneOf' keyword"],
    ],
    [{ anyOf: [{ type: "number" }, { const: "x" }] }, "x", []],
    [{ not: { type: "null" } }, null, ['{"type": "null"} is not allowed for null']],
    [
      JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}'),
      { a: 1 },
      ['"b" is a required property'],
    ],
    [
      { contains: { const: 1 }, uniqueItems: true },
      [2, 2],
      [
        "[2, 2] has non-unique elements",
        "[2, 2] does not contain as many matching items as the schema asks for",
      ],
    ],
    [tree, { v: 1, next: { v: "a" } }, ['"a" is not of type "integer"']],
    [true, 1, []],
  ])("%j of %j", async (schema, instance, errors) => {
    expect(await check(schema, instance)).toEqual({ errors, matches: errors.length === 0 });
  });
  it("judges schemas, and refuses what it cannot check", async () => {
    expect(
      await backend.sql(
        `select extensions.jsonschema_is_valid('{"type":"object","properties":{"a":{"type":"string"}}}') as sound,
           extensions.jsonschema_is_valid('{"type":"obj"}') as unsound`,
      ),
    ).toEqual([{ sound: true, unsound: false }]);
    await expect(check({ unevaluatedProperties: false }, {})).rejects.toThrow(
      "does not check unevaluatedProperties",
    );
    await expect(check({ $ref: "https://example.com/a" }, {})).rejects.toThrow(
      "references within a schema only",
    );
    await expect(check({ $ref: "#" }, {})).rejects.toThrow("refers to itself without end");
  });
  it("serves a check constraint", async () => {
    await backend.sql(
      `create table public.setting (value jsonb check (extensions.jsonb_matches_schema('{"type":"object"}', value)))`,
    );
    await expect(backend.sql("insert into public.setting values ('1')")).rejects.toThrow(
      "setting_value_check",
    );
    await backend.sql("insert into public.setting values ('{}')");
  });
});

it("timescaledb leaves a hypertable a plain table, and puts times into buckets", async () => {
  await backend.sql(`create extension timescaledb with schema extensions;
    create table public.readings (at timestamptz not null, value float8)`);
  const made = await backend.sql(
    "select schema_name, table_name, created from extensions.create_hypertable('public.readings', 'at', chunk_time_interval => interval '1 day')",
  );
  expect(made).toEqual([{ schema_name: "public", table_name: "readings", created: true }]);
  const [row] = await backend.sql(
    `select extensions.time_bucket('5 minutes', timestamptz '2026-03-01 10:07:59+00')::text as minutes,
       extensions.time_bucket('1 week', timestamp '2026-03-01 10:07')::text as week,
       extensions.time_bucket('1 month', timestamp '2026-03-31 10:07')::text as month,
       extensions.time_bucket('3 months', date '1999-12-31')::text as quarter,
       extensions.time_bucket(10, -3) as number`,
  );
  expect(row).toEqual({
    minutes: "2026-03-01 10:05:00+00",
    week: "2026-02-23 00:00:00",
    month: "2026-03-01 00:00:00",
    quarter: "1999-10-01",
    number: -10,
  });
  expect(await backend.sql("select extensions.show_chunks('public.readings', '3 days')")).toEqual([]);
  expect(await backend.sql("select extensions.drop_chunks('public.readings', now())")).toEqual([]);
});
