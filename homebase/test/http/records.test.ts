/** The record of the last requests: what it keeps, what it drops, and its bounds. */
import { expect, test } from "vitest";
import { type Ran, RequestRecord, RequestRecords } from "../../src/http/records.ts";
import { Utf8Text } from "../../src/postgres/pipeline/wire.ts";

const MB = 1024 ** 2;
let count = 0;

function record({
  query = "",
  ran,
  status = 200,
}: {
  query?: string;
  ran?: Partial<Ran>;
  status?: number;
} = {}) {
  count += 1;
  const made = new RequestRecord(`${String(count).padStart(8, "0")}-rest`, "GET", `/${count}`, query);
  made.status = status;
  if (ran) {
    const plain = {
      text: "select 1",
      values: [],
      role: "anon",
      claims: '{"role":"anon"}',
      searchPath: "public",
    };
    made.ran = { ...plain, readOnly: true, ...ran };
  }
  return made;
}

test("the oldest give way to the newest, and a cursor gives what came after it", () => {
  const records = new RequestRecords(3);
  for (let i = 0; i < 4; i += 1) records.add(record());
  const first = records.list();
  expect(first.records.map(({ path }) => path)).toEqual(["/2", "/3", "/4"]);
  records.add(record());
  expect(records.list({ after: first.cursor }).records.map(({ path }) => path)).toEqual(["/5"]);
  expect(records.list({ limit: 2 }).records.map(({ path }) => path)).toEqual(["/4", "/5"]);
  expect(records.list({ limit: 0 }).records).toEqual([]);
});

test("all together hold 16 MB at most, whatever their values hold", () => {
  const records = new RequestRecords();
  const text = "x".repeat(16 * 1024);
  for (let i = 0; i < 3_000; i += 1) records.add(record({ ran: { values: [text] } }));
  const kept = records.list().records.length;
  expect(kept).toBeGreaterThan(400);
  expect(kept * 2 * text.length).toBeLessThanOrEqual(16 * MB);
});

test("a short value that holds a large block counts as the block", () => {
  const records = new RequestRecords();
  for (let i = 0; i < 100; i += 1) {
    const block = Buffer.allocUnsafeSlow(MB);
    records.add(record({ ran: { values: [block.subarray(0, 10)] } }));
  }
  expect(records.list().records.length).toBeLessThanOrEqual(16);
});

test("a value above 16 KB is dropped, and the request is not replayable", () => {
  const records = new RequestRecords();
  records.add(record({ ran: { values: ["x".repeat(16 * 1024 + 1)] } }));
  records.add(record({ ran: { values: ["a", Buffer.from("b"), new Utf8Text(Buffer.from("c")), null] } }));
  const [large, small] = records.list().records.map(({ id }) => records.withValues(id));
  expect(large).toMatchObject({ replayable: false, statement: undefined, role: "anon" });
  expect(small).toMatchObject({ replayable: true, statement: { values: ["a", "b", "c", null] } });
});

const notes = {
  columns: new Map([
    ["id", {}],
    ["token", {}],
  ]),
};
const login = { parameters: [{ name: "password" }, { name: "pin" }] };

/** The one record of a request, as it is shown in the list and whole, and with its values. */
function recorded(query: string, service: string, ran?: Partial<Ran>, change: Partial<RequestRecord> = {}) {
  const records = new RequestRecords();
  const one = Object.assign(record({ query, ...(ran ? { ran } : {}) }), { service }, change);
  records.add(one);
  return { listed: records.list().records[0], shown: records.get(one.id), raw: records.withValues(one.id) };
}

test.each([
  ["auth", "token=s3cret&type=signup", "s3cret"],
  ["functions", "a=1&%6bey=s3cret", "s3cret"],
  ["storage", "X-Amz-Signature=s3cret", "s3cret"],
  ["auth", "redirect_to=http://127.0.0.1/%3Ftoken%3Ds3cret", "http://127.0.0.1/?token=s3cret"],
  ["rest", "select=*&apikez=s3cret", "s3cret"],
])("%s?%s: of a query that the database was not asked with, no value is kept", (service, query, quoted) => {
  const failure = JSON.stringify({ message: `not allowed: (${quoted})` });
  const all = recorded(query, service, undefined, { status: 400, failure });
  expect(JSON.stringify(all)).not.toContain("s3cret");
  expect(all.raw?.query).toContain("=(string, ");
});

test("what a sign-in is by is shown where it is one of Auth's words, and otherwise not", () => {
  const query = (text: string) => recorded(text, "auth", undefined).shown?.query;
  expect(query("grant_type=password")).toBe("grant_type=password");
  expect(query("grant_type=s3cret")).toBe("grant_type=(string, 6 characters)");
  expect(query("other=password")).toBe("other=(string, 8 characters)");
});

test("a column's values are shown whatever it is called; a filter on what is no column is not", () => {
  const shown = recorded("token=eq.abc&select=id", "rest", { target: notes, values: ["abc"] }).shown;
  expect(shown).toMatchObject({ query: "token=eq.abc&select=id", statement: { values: ["abc"] } });
  const other = recorded("otp=eq.s3cret&id=eq.1", "rest", { target: notes, values: ["s3cret", "1"] });
  expect(JSON.stringify([other.listed, other.shown])).not.toContain("s3cret");
  expect(other.shown?.query).toBe("otp=(string, 9 characters)&id=eq.1");
  expect(other.raw).toMatchObject({ query: "otp=eq.s3cret&id=eq.1", statement: { values: ["s3cret", "1"] } });
});

test("a body is shown by its columns, each row of it", () => {
  const values = [JSON.stringify([{ id: 1, pwd: "s3cret" }, { token: "t" }])];
  const { shown } = recorded("", "rest", { target: notes, values }, { method: "POST" });
  expect(JSON.parse(shown?.statement?.values[0] ?? "")).toEqual([
    { id: 1, pwd: "string, 6 characters" },
    { token: "t" },
  ]);
});

test("a function's arguments, headers and claims of the project's own are shown by type and length", () => {
  const ran = {
    target: login,
    values: ['{"password":"s3cret!","pin":1234}'],
    headers: { "x-otp": "s3cret?" },
    claims: '{"role":"anon","sub":"me","email":"s3cret@example.test"}',
  };
  const { listed, shown, raw } = recorded("password=s3cret.", "rest", ran, { method: "POST" });
  expect(JSON.stringify([listed, shown])).not.toContain("s3cret");
  expect(shown).toMatchObject({
    query: "password=(string, 7 characters)",
    claims: { role: "anon", sub: "me", email: "string, 19 characters" },
    statement: {
      values: ['{"password":"string, 7 characters","pin":"number"}'],
      headers: { "x-otp": "string, 7 characters" },
    },
  });
  expect(raw).toMatchObject({ statement: { values: ran.values, headers: ran.headers } });
  // Keys that are no parameters are values of a parameter that takes the whole body.
  const whole = recorded("", "rest", { target: login, values: ['{"s3cret":1}'] });
  expect(whole.shown?.statement?.values).toEqual(["object, 1 key"]);
});

test("an error that quotes an argument is shown without it", () => {
  const failure = JSON.stringify({ message: 'invalid input for pin: "s3cret", or 7', hint: "not s3cret" });
  const ran = { target: login, values: ['{"pin":"s3cret","n":7}'] };
  const { listed, shown, raw } = recorded("", "rest", ran, { status: 400, failure });
  const error = {
    message: 'invalid input for pin: "(string, 6 characters)", or 7',
    hint: "not (string, 6 characters)",
  };
  expect(listed?.error).toEqual(error);
  expect(shown?.error).toEqual(error);
  expect(raw?.error?.message).toContain("s3cret");
  // Where the values were too large to be kept, which of them are quoted is not known.
  const large = recorded(
    "",
    "rest",
    { target: login, values: ["x".repeat(20_000)] },
    { status: 400, failure },
  );
  expect(JSON.stringify([large.listed, large.shown])).not.toContain("s3cret");
});

test("what follows a cursor says how much of it is lost", async () => {
  const records = new RequestRecords(2);
  records.add(record());
  const { cursor } = records.list();
  for (let i = 0; i < 3; i += 1) records.add(record());
  expect(records.list({ after: cursor })).toMatchObject({ cursor: 4, lost: 1 });
  expect(records.list()).toMatchObject({ lost: 0 });
  const end = new AbortController();
  const paths: string[] = [];
  for await (const batch of records.follow({ after: cursor }, end.signal)) {
    paths.push(...batch.records.map(({ path }) => path));
    if (paths.length === 2) records.add(record());
    else end.abort();
  }
  expect(paths).toHaveLength(3);
});

test("one is found by the beginning of its id, when no other has it", () => {
  const records = new RequestRecords();
  const [one, other] = [record(), record({ status: 403 })];
  records.add(one);
  records.add(other);
  expect(records.get(one.id.slice(0, 8))?.path).toBe(one.path);
  expect(records.get("0000")).toBeUndefined();
  expect(records.get("nothing")).toBeUndefined();
  expect(records.list({ failed: true }).records.map(({ id }) => id)).toEqual([other.id]);
});
