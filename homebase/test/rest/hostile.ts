/** Owns hostile requests for tests: the interface's valid parts, mixed and damaged, reproducible by seed. */

/** A request as sent. */
export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/** Numbers from 0 to 1, determined by a seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Texts that would be harmful as part of a statement. */
export const INJECTIONS = [
  "'",
  '"',
  "\\",
  ";",
  "--",
  "/*",
  "$$",
  "\0",
  "%",
  "'||(select secret from hidden.vault)||'",
  '" union select secret from hidden.vault --',
  "1;select secret from hidden.vault",
  "') or (1=1",
  "$1",
  "{}",
  "E'\\x'",
  "\u2028",
  "😀",
  "\ud800",
  "x".repeat(300),
  "null",
  "NaN",
  "1e400",
  "-1",
  "0x1",
  "(select secret from hidden.vault)",
  "id)::text,(select secret from hidden.vault",
  "\r\nx-a: b",
  "..",
  "*",
  "()",
] as const;

const NAMES = [
  "things",
  "parts",
  "vault",
  "shown",
  "id",
  "name",
  "data",
  "tags",
  "thing_id",
  "odd \"name'",
  "add",
  "echo",
  "whole",
  "secret",
  "pg_class",
  "pg_catalog",
  "ctid",
  "xmin",
  "tableoid",
  "select",
  "order",
  "and",
  "count",
  "things!inner",
  "parts!parts_thing_id_fkey",
  "*",
  "",
  "hidden.vault",
  "pg_sleep",
  "current_user",
] as const;
const GOOD_NAMES = ["id", "name"] as const;
const GOOD_PLACES = ["things", "parts", "shown", "rpc/echo", "rpc/add", "rpc/whole"] as const;
const GOOD_FILTERS = ["not.is.null", "in.(1,2)", "gt.0", "neq.7", "is.null", "eq.1"] as const;
const OPERATORS = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "like",
  "ilike",
  "match",
  "imatch",
  "in",
  "is",
  "isdistinct",
  "fts",
  "plfts",
  "phfts",
  "wfts",
  "cs",
  "cd",
  "ov",
  "sl",
  "sr",
  "nxr",
  "nxl",
  "adj",
  "not.eq",
  "not.in",
  "eq(any)",
  "like(all)",
  "fts(english)",
  "fts(x')",
  "EQ",
  "foo",
  "",
] as const;
const VALUES = [
  "1",
  "abc",
  "(1,2)",
  "{1,2}",
  "null",
  "true",
  "[1,2)",
  "*a*",
  "",
  "(",
  ")",
  "()",
  '("a","b',
  '"',
  "a&b",
  "'a",
  "2020-01-01",
  "9999999999999999999999",
  "(1,2",
  "{",
  "a:*",
  "!",
  "\\",
] as const;
const METHODS = [
  "GET",
  "GET",
  "GET",
  "GET",
  "POST",
  "POST",
  "PATCH",
  "DELETE",
  "PUT",
  "HEAD",
  "OPTIONS",
] as const;
const TYPES = [
  "application/json",
  "text/csv",
  "application/x-www-form-urlencoded",
  "text/plain",
  "text/xml",
  "application/octet-stream",
  "application/vnd.pgrst.object+json",
  "image/png",
  "",
  ";;",
  "application/json;charset=x",
] as const;
const ACCEPTS = [
  "application/json",
  "text/csv",
  "*/*",
  "application/vnd.pgrst.object+json",
  "application/vnd.pgrst.array+json;nulls=stripped",
  "application/vnd.pgrst.plan+json",
  "application/openapi+json",
  "application/geo+json",
  "text/html",
  "",
  ",,",
  "a/b;q=z",
  "*/*;q=0",
] as const;
const PREFERENCES = [
  "return=representation",
  "return=minimal",
  "return=headers-only",
  "count=exact",
  "count=planned",
  "count=estimated",
  "resolution=merge-duplicates",
  "resolution=ignore-duplicates",
  "missing=default",
  "tx=rollback",
  "handling=strict",
  "max-affected=1",
  "timezone=UTC",
  "timezone=x'",
  "foo",
  "=",
  "max-affected=-1",
  "max-affected=99999999999999999999",
] as const;
const BODIES = [
  "{}",
  "[]",
  "[{}]",
  '{"id":1}',
  '[{"id":1},{"id":2}]',
  '[{"id":1},{"name":"x"}]',
  '{"id":"x"}',
  "null",
  "5",
  '"x"',
  "",
  "{",
  '{"name":null,"data":{"a":[1,{"b":null}]},"tags":["a","b"]}',
  '{"id":1e999}',
  '{"name":"\\u0000"}',
  '{"name":"\\ud800"}',
  "id,name\n1,a\n",
  'id,name\n"1',
  "id=1&name=%zz",
  '{"a":1,"b":2}',
  '{"n":1}',
  "[[[[[[]]]]]]",
  '{"id":1,"id":2}',
  '{"__proto__":{"a":1}}',
  '{"constructor":1}',
] as const;

/** An endless sequence of requests. */
export function* hostileRequests(seed: number): Generator<HostileRequest, never> {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const chance = (probability: number) => next() < probability;
  // Half of the requests are valid except for one or two parts, so that they get further.
  let wild = true;
  const name = () =>
    !wild && chance(0.95) ? pick(GOOD_NAMES) : chance(0.15) ? pick(INJECTIONS) : pick(NAMES);
  const field = () =>
    name() + (chance(0.15) ? pick(["->a", "->>a", "->0", "->", "::text", "::int[]", "->>'"]) : "");
  const value = () => (chance(0.2) ? pick(INJECTIONS) : pick(VALUES));
  const filter = () => (!wild && chance(0.9) ? pick(GOOD_FILTERS) : `${pick(OPERATORS)}.${value()}`);
  const select = (depth = 0): string =>
    Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
      const item = `${chance(0.2) ? `${name()}:` : chance(0.1) ? "..." : ""}${field()}`;
      return chance(0.3) && depth < 3
        ? `${item}(${select(depth + 1)})`
        : item + (chance(0.1) ? ".sum()" : "");
    }).join(",");
  const logic = (depth = 0): string =>
    `(${Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
      chance(0.25) && depth < 3
        ? `${pick(["and", "or", "not.and", "x"])}${logic(depth + 1)}`
        : `${field()}.${filter()}`,
    ).join(",")})`;
  const parameter = (): [string, string] => {
    switch (Math.floor(next() * 10)) {
      case 0:
        return ["select", select()];
      case 1:
        return [
          pick(["order", "parts.order"]),
          `${field()}${pick(["", ".desc", ".asc.nullslast", ".x", "(name)"])}`,
        ];
      case 2:
        return [
          pick(["limit", "offset", "parts.limit", "x.offset"]),
          pick(["1", "0", "-1", "x", "1e9", "99999999999999999999", ""]),
        ];
      case 3:
        return [pick(["or", "and", "not.or", "parts.or"]), logic()];
      case 4:
        return [pick(["columns", "on_conflict"]), `${name()},${name()}`];
      case 5:
        return [name(), value()];
      default:
        return [chance(0.2) ? `parts.${field()}` : field(), filter()];
    }
  };
  const damage = (text: string): string => {
    const at = Math.floor(next() * (text.length + 1));
    return (
      text.slice(0, at) +
      pick([...INJECTIONS, "%", "%00", "%ff", "%2", "&", "=", "+", "#"]) +
      text.slice(at + (chance(0.5) ? 1 : 0))
    );
  };
  // A path that HTTP itself forbids never reaches the service.
  const wire = (text: string) =>
    text.replace(/[^\x21-\x7e]/gu, (one) => {
      const point = one.codePointAt(0) ?? 0;
      return point >= 0xd800 && point <= 0xdfff ? "%ed%a0%80" : encodeURIComponent(one);
    });
  const header = (text: string) => Buffer.from(text.replace(/\p{Cc}/gu, "?"), "utf8").toString("latin1");
  for (;;) {
    wild = chance(0.5);
    const method = pick(METHODS);
    const place = wild
      ? pick(["/", "/rpc/", "/", "/", ""]) + encodeURIComponent(name().toWellFormed())
      : pick(GOOD_PLACES);
    const pairs = Array.from({ length: Math.floor(next() * 5) }, parameter);
    const query = pairs
      .map(([key, text]) =>
        chance(0.8)
          ? `${wire(key).replace(/[&#]/g, "")}=${wire(text).replace(/[&#]/g, "")}`
          : `${wire(key)}=${wire(text)}`,
      )
      .join("&");
    let path = `/${place.replace(/^\/+/, "")}${query ? `?${query}` : ""}`;
    if (chance(0.2)) path = `/${wire(damage(path)).replace(/^\/+/, "")}`;
    const headers: Record<string, string> = {};
    if (chance(0.4))
      headers.prefer = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(PREFERENCES)).join(
        pick([",", ", ", ";"]),
      );
    if (chance(0.3)) headers.accept = pick(ACCEPTS);
    if (chance(0.1)) headers.range = pick(["0-1", "1-0", "5-", "-1", "x", "0-99999999999999999999"]);
    if (chance(0.1))
      headers[pick(["accept-profile", "content-profile"])] = header(
        pick(["api", "hidden", "", ...INJECTIONS]),
      );
    if (chance(0.1))
      headers.authorization = header(
        pick(["Bearer ", "Bearer x", "Bearer a.b.c", "Basic x", "Bearer e30.e30.", ...INJECTIONS]),
      );
    if (chance(0.1)) headers.cookie = header(pick(["a=b", "a", "=", ";;", ...INJECTIONS]));
    if (chance(0.1)) headers[pick(["x-a", "__proto__", "constructor"])] = header(pick(INJECTIONS));
    const request: HostileRequest = { method, path, headers };
    if (method === "POST" || method === "PATCH" || method === "PUT") {
      if (chance(0.9)) headers["content-type"] = chance(0.6) ? "application/json" : pick(TYPES);
      let text = chance(0.2)
        ? JSON.stringify({ [name()]: value(), [name()]: value() })
        : String(pick(BODIES));
      if (chance(0.2)) text = damage(text);
      request.body = chance(0.05) ? Buffer.from([0xff, 0xfe, 0, 0x7b]) : Buffer.from(text, "utf8");
    }
    yield request;
  }
}
