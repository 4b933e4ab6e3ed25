/** The wire protocol: messages are complete however the network splits them. */
import { expect, it } from "vitest";
import { MessageReader, MessageWriter, PostgresError, Row } from "../../src/postgres/pipeline/wire.ts";

function message(type: string, payload: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeInt32BE(payload.length + 4, 1);
  return Buffer.concat([head, payload]);
}

const messages = [
  message("1", Buffer.alloc(0)),
  message("D", Buffer.from("a row")),
  message("Z", Buffer.from("I")),
  message("D", Buffer.alloc(300, "x")),
  message("2", Buffer.alloc(0)),
];
const stream = Buffer.concat(messages);
const expected = messages.map((one) => [one[0], one.subarray(5).toString()]);

function readIn(size: number): unknown[] {
  const seen: unknown[] = [];
  const reader = new MessageReader((type, payload) => seen.push([type, payload.toString()]));
  for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size));
  return seen;
}

it("reads the same messages whatever the size of the chunks", () => {
  for (let size = 1; size <= stream.length; size += 1) expect(readIn(size)).toEqual(expected);
});

it("keeps what it gave out although more arrives", () => {
  const kept: Buffer[] = [];
  const reader = new MessageReader((_, payload) => kept.push(payload));
  for (let at = 0; at < stream.length; at += 7) reader.push(stream.subarray(at, at + 7));
  expect(kept.map(String)).toEqual(expected.map(([, payload]) => payload));
});

it("writes parse, bind, execute and sync as the protocol lays them out", () => {
  const writer = new MessageWriter();
  writer.parse("s1", "select $1");
  writer.bind("s1", ["\u00e4", null, Buffer.from([0, 1])]);
  writer.execute();
  writer.sync();
  let bytes = Buffer.alloc(0);
  writer.flush((all) => {
    bytes = Buffer.from(all);
    return { reusable: true };
  });
  const seen: [string, string][] = [];
  new MessageReader((type, payload) => seen.push([String.fromCharCode(type), payload.toString("hex")])).push(
    bytes,
  );
  expect(seen).toEqual([
    ["P", Buffer.from("s1\0select $1\0\0\0", "latin1").toString("hex")],
    ["B", "007331000003000000000001000300000002c3a4ffffffff0000000200010000"],
    ["E", "0000000000"],
    ["S", ""],
  ]);
  expect(writer.empty).toBe(true);
});

it("makes room for values of any length", () => {
  const writer = new MessageWriter();
  const long = "\u00e4\ud83d\ude00".repeat(50_000);
  writer.bind("", [long, "x"]);
  let value = "";
  writer.flush((all) => {
    // Type, length, two empty names, formats and counts precede the first value's length.
    const length = all.readInt32BE(15);
    value = all.toString("utf8", 19, 19 + length);
    return { reusable: false };
  });
  expect(value).toBe(long);
});

it("finds columns by their place", () => {
  const row = new Row(Buffer.from("0003ffffffff00000000000000026162", "hex"));
  expect([row.text(0), row.text(1), row.text(2), row.text(3)]).toEqual([null, "", "ab", undefined]);
});

it("reads the fields of an error", () => {
  const payload = Buffer.from("SFEHLER\0VERROR\0C42501\0Mno\0Dwhy\0Hdo\0\0");
  const { severity, code, message, detail, hint } = PostgresError.read(payload);
  expect({ severity, code, message, detail, hint }).toEqual({
    severity: "ERROR",
    code: "42501",
    message: "no",
    detail: "why",
    hint: "do",
  });
});
