/** Kept OpenAPI documents: by schema cache, address and what the caller may see; few of them. */
import { expect, it } from "vitest";
import { findDocument, keepDocument } from "../../../src/rest/openapi/documents.ts";
import type { SchemaCache } from "../../../src/rest/schema/schema-cache.ts";

const cacheOf = () => ({}) as unknown as SchemaCache;
const options = (host = "localhost", schema = "public") => ({
  schema,
  address: new URL(`http://${host}`),
  security: false,
});
const table = (name: string) => ({ name, comment: null, columns: [] });
const routine = (oid: string) => ({ oid, comment: null, types: [] });

it("finds a document for the same rights only", () => {
  const cache = cacheOf();
  const seen = { comment: null, tables: [table("a"), table("b")] };
  keepDocument(cache, options(), seen, [routine("10"), routine("9")], "both");
  expect(findDocument(cache, options(), '[["a", "b"], ["9", "10"]]')).toBe("both");
  expect(findDocument(cache, options(), '[["a"], ["9", "10"]]')).toBeUndefined();
  expect(findDocument(cache, options(), '[["a", "b"], ["10"]]')).toBeUndefined();
  expect(findDocument(cache, options("other"), '[["a", "b"], ["9", "10"]]')).toBeUndefined();
  expect(findDocument(cache, options("localhost", "api"), '[["a", "b"], ["9", "10"]]')).toBeUndefined();
  expect(findDocument(cacheOf(), options(), '[["a", "b"], ["9", "10"]]')).toBeUndefined();
});

it("keeps few: a host is the client's choice", () => {
  const cache = cacheOf();
  const host = (at: number) => options(`host${at}`);
  for (let at = 0; at < 20; at++) keepDocument(cache, host(at), { comment: null, tables: [] }, [], `${at}`);
  const kept = Array.from({ length: 20 }, (_, at) => findDocument(cache, host(at), "[[], []]"));
  expect(kept.filter((one) => one !== undefined)).toHaveLength(8);
  expect(kept[19]).toBe("19");
});
