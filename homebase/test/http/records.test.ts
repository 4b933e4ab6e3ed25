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
  const [large, small] = records.list().records;
  expect(large).toMatchObject({ replayable: false, statement: undefined, role: "anon" });
  expect(small).toMatchObject({ replayable: true, statement: { values: ["a", "b", "c", null] } });
});

test.each([
  "token=s3cret",
  "select=*&access_token=s3cret&x=1",
  "apikey=s3cret",
  "CODE=s3cret",
  "a=1&token_hash=s3cret",
  "%74oken=s3cret",
  "a=1&co%64e=s3cret",
  "X-Amz-Date=20260101T000000Z&X-Amz-Signature=s3cret&X-Amz-Expires=60",
  "SAMLResponse=s3cret",
  "redirect_to=http://127.0.0.1/%3Ftoken%3Ds3cret",
  "redirect_to=http://127.0.0.1/?a=1%26password=s3cret",
])("%s: neither the query nor a value keeps the secret", (query) => {
  const records = new RequestRecords();
  records.add(record({ query, ran: { values: ["s3cret"] } }));
  expect(JSON.stringify(records.list())).not.toContain("s3cret");
  expect(JSON.stringify(records.list())).toContain("=***");
  expect(records.list().records[0]?.replayable).toBe(false);
});

test("a parameter called key is a function's secret, and a column of a table", () => {
  const records = new RequestRecords();
  for (const service of ["functions", "rest"]) {
    const one = record({ query: "a=1&key=s3cret&Sig=s3cret", ran: { values: ["s3cret"] } });
    one.service = service;
    records.add(one);
  }
  const [ofFunction, ofTable] = records.list().records;
  expect(ofFunction).toMatchObject({ query: "a=1&key=***&Sig=***", statement: undefined });
  expect(ofTable).toMatchObject({ query: "a=1&key=s3cret&Sig=s3cret", replayable: true });
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
