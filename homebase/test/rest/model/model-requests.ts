/** Owns random reads for tests that compare with the model, reproducible by seed, some with one mistake. */
import { random } from "../hostile.ts";
import {
  type Condition,
  type Embed,
  type Expected,
  type Filter,
  type Item,
  KINDS,
  OPERATORS,
  type Order,
  QUANTIFIED,
  type Read,
  textOf,
} from "./model.ts";

export interface Asked {
  path: string;
  headers: Record<string, string>;
  read: Read;
  count: boolean;
  single: boolean;
  /** The expected error of its mistake. */
  refused?: Expected;
}

/** Mistakes, with the expected error of each. */
const MISTAKES: readonly { pair?: string; headers?: Record<string, string>; status: number; code: string }[] =
  [
    { pair: "n4=5", status: 400, code: "PGRST100" },
    { pair: "n4=equals.5", status: 400, code: "PGRST100" },
    { pair: "n4=in.5", status: 400, code: "PGRST100" },
    { pair: "n4=is.nothing", status: 400, code: "PGRST100" },
    { pair: "order=n4.up", status: 400, code: "PGRST100" },
    { pair: "or=(n4.eq.5", status: 400, code: "PGRST100" },
    { pair: "and=()", status: 400, code: "PGRST100" },
    { pair: "n4=in(any).(1)", status: 400, code: "PGRST100" },
    { pair: "limit=-1", status: 416, code: "PGRST103" },
    { pair: "visits.n=eq.1", status: 400, code: "PGRST108" },
    { pair: "order=visits(n)", status: 400, code: "PGRST108" },
    { headers: { accept: "text/unknown" }, status: 406, code: "PGRST107" },
    { headers: { "accept-profile": "elsewhere" }, status: 406, code: "PGRST106" },
    { headers: { prefer: "handling=strict, nonsense" }, status: 400, code: "PGRST122" },
    { pair: "n4=eq.many", status: 400, code: "22P02" },
    { pair: "n4=in.(1,many)", status: 400, code: "22P02" },
    { pair: "n4=eq(any).{1,many}", status: 400, code: "22P02" },
    { pair: "n4=eq.99999999999", status: 400, code: "22003" },
    { pair: "day=gt.2024-13-01", status: 400, code: "22008" },
    { pair: "mood=eq.angry", status: 400, code: "22P02" },
    { pair: "key=eq.1", status: 400, code: "22P02" },
    { pair: "list=cs.1", status: 400, code: "22P02" },
    { pair: "doc=cs.{", status: 400, code: "22P02" },
    { pair: "n4=like.1*", status: 404, code: "42883" },
    { pair: "n4=cs.{1}", status: 404, code: "42883" },
    { pair: "plain=eq.{}", status: 404, code: "42883" },
    { pair: "word=is.true", status: 400, code: "42804" },
    { pair: "absent=eq.1", status: 400, code: "42703" },
    { pair: "order=absent", status: 400, code: "42703" },
    { pair: "word=match.(", status: 400, code: "2201B" },
  ];

/** A value inside brackets. */
const quoted = (text: string) =>
  /^[A-Za-z0-9_-]+$/.test(text) ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
const member = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

function field({ column, path }: { column: string; path?: readonly string[] }): string {
  if (!path) return column;
  return `${[column, ...path.slice(0, -1)].join("->")}->>${path.at(-1)}`;
}

/** @returns operator and value. */
function printCondition(one: Condition, inside: boolean): string {
  const head = `${one.not ? "not." : ""}`;
  if (one.operator === "is") return `${head}is.${one.word}`;
  const texts = one.values.map(textOf);
  if (one.operator === "in")
    return `${head}in.(${texts.map((text) => (text === "" ? '""' : quoted(text))).join(",")})`;
  const plain = one.quantifier ? `{${texts.map(member).join(",")}}` : (texts[0] ?? "");
  const operator = one.quantifier ? `${one.operator}(${one.quantifier})` : one.operator;
  return `${head}${operator}.${inside ? (plain === "" ? '""' : quoted(plain)) : plain}`;
}

function printFilter(filter: Filter): string {
  if (!("join" in filter)) return `${field(filter)}.${printCondition(filter, true)}`;
  return `${filter.not ? "not." : ""}${filter.join}(${filter.of.map(printFilter).join(",")})`;
}

/** A read's parameters; `prefix` is the path of an embed. */
function pairs(read: Read, prefix: string): [string, string][] {
  const list: [string, string][] = [];
  for (const filter of read.filters) {
    if ("join" in filter) {
      list.push([
        `${prefix}${filter.not ? "not." : ""}${filter.join}`,
        `(${filter.of.map(printFilter).join(",")})`,
      ]);
    } else list.push([prefix + field(filter), printCondition(filter, false)]);
  }
  list.push([
    `${prefix}order`,
    read.order
      .map(
        ({ column, descending, nulls }) =>
          column + (descending ? ".desc" : "") + (nulls ? `.nulls${nulls}` : ""),
      )
      .join(","),
  ]);
  if (read.limit !== undefined) list.push([`${prefix}limit`, String(read.limit)]);
  if (read.offset !== undefined) list.push([`${prefix}offset`, String(read.offset)]);
  for (const embed of read.embeds) {
    const name = embed.alias ?? embed.to;
    if (embed.demand) list.push([prefix + name, embed.demand]);
    list.push(...pairs(embed.read, `${prefix}${name}.`));
  }
  return list;
}

function printSelect(read: Read): string {
  const items = read.items.map(
    (item) => (item.alias ? `${item.alias}:` : "") + field(item) + (item.cast ? "::text" : ""),
  );
  const embeds = read.embeds.map(
    (embed) =>
      `${embed.spread ? "..." : ""}${embed.alias ? `${embed.alias}:` : ""}${embed.to}${embed.inner ? "!inner" : ""}(${printSelect(embed.read)})`,
  );
  return [...items, ...embeds].join(",");
}

/** An endless sequence of requests. */
export function* reads(seed: number): Generator<Asked, never> {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const chance = (probability: number) => next() < probability;
  const some = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, make);
  const columns = Object.keys(KINDS);

  const condition = (table: Read["table"]): Condition => {
    const not = chance(0.25);
    const column = table === "kinds" ? pick(columns) : pick(["id", "kind_id", "n"]);
    if (column === "doc" && chance(0.6)) {
      const path = chance(0.5) ? ["a"] : ["b", "c"];
      return {
        column,
        path,
        not,
        operator: pick(["eq", "neq", "isdistinct"]),
        values: [pick(["x", "y", "5", "deep"])],
      };
    }
    const kind = KINDS[column];
    const has = kind?.has ?? "order";
    const values = kind?.values ?? [1, 2, 3, 7];
    const operators = OPERATORS[has];
    if (operators.length === 0 || chance(0.15)) {
      const word =
        column === "flag"
          ? pick(["null", "not_null", "true", "false", "unknown"])
          : pick(["null", "not_null"]);
      return { column, not, operator: "is", word, values: [] };
    }
    const operator = pick(operators);
    const value = (): Condition["values"][number] => {
      if (operator.startsWith("fts") || operator.startsWith("plfts")) return pick(["ant", "bee", "cat"]);
      if (operator === "like" || operator === "ilike")
        return pick(["a*", "*b%", "_nt", "A_t", "*\\%", "*", "x\\_y"]);
      if (operator === "match" || operator === "imatch")
        return pick(["^a", "b$", "[0-9]", "nt|ee", "^$", "\\(c\\)"]);
      return pick(values);
    };
    const quantifier =
      (QUANTIFIED as readonly string[]).includes(operator) &&
      (has === "order" || has === "words") &&
      chance(0.2)
        ? pick(["any", "all"] as const)
        : undefined;
    const count = operator === "in" || quantifier ? some(3, value) : [value()];
    return { column, not, operator, ...(quantifier ? { quantifier } : {}), values: count };
  };
  const filter = (table: Read["table"], depth = 0): Filter => {
    if (depth > 2 || chance(0.7)) return condition(table);
    const of = [filter(table, depth + 1), ...some(2, () => filter(table, depth + 1))];
    return { join: pick(["and", "or"] as const), not: chance(0.3), of };
  };
  const order = (table: Read["table"]): Order[] => [
    ...some(2, (): Order => {
      const sortable = columns.filter((name) => ["order", "words"].includes(KINDS[name]?.has ?? ""));
      const nulls = chance(0.3) ? pick(["first", "last"] as const) : undefined;
      return {
        column: table === "kinds" ? pick(sortable) : "n",
        descending: chance(0.5),
        ...(nulls ? { nulls } : {}),
      };
    }),
    { column: "id", descending: chance(0.3) },
  ];
  const items = (table: Read["table"]): Item[] => {
    const list: Item[] = [{ column: "id" }];
    if (table === "parts") return chance(0.5) ? [...list, { column: "n" }, { column: "kind_id" }] : list;
    for (const column of new Set(some(5, () => pick(columns)))) {
      const path = column === "doc" && chance(0.5) ? ["a"] : undefined;
      const castable = ["n2", "n4", "n8", "word", "short", "mood", "key", "day"].includes(column);
      list.push({
        column,
        ...(chance(0.2) ? { alias: `my_${column}` } : {}),
        ...(path ? { path } : {}),
        ...(castable && chance(0.2) ? { cast: true } : {}),
      });
    }
    return list;
  };
  const embed = (from: Read["table"]): Embed => {
    const to = from === "kinds" ? "parts" : "kinds";
    const spread = to === "kinds" && chance(0.3);
    const inner = !spread && chance(0.3);
    const demand = !inner && !spread && chance(0.2) ? pick(["is.null", "not.is.null"] as const) : undefined;
    return {
      to,
      spread,
      inner,
      ...(demand ? { demand } : {}),
      ...(chance(0.3) && !spread ? { alias: "other" } : {}),
      read: {
        table: to,
        items: spread ? [{ column: "word", alias: "their_word" }] : items(to),
        embeds: [],
        filters: spread ? [] : some(1, () => filter(to)),
        order: to === "parts" ? order(to) : [{ column: "id", descending: false }],
        ...(to === "parts" && !inner && !demand && chance(0.2) ? { limit: Math.floor(next() * 3) } : {}),
      },
    };
  };

  for (;;) {
    const table = chance(0.75) ? "kinds" : "parts";
    // A request with a mistake has no other cause of an error.
    const mistake = chance(0.15) && table === "kinds" ? pick(MISTAKES) : undefined;
    const read: Read = {
      table,
      items: items(table),
      embeds: chance(0.3) ? [embed(table)] : [],
      filters: some(3, () => filter(table)),
      order: order(table),
      ...(chance(0.3) && !mistake ? { limit: Math.floor(next() * 12) } : {}),
      ...(chance(0.2) && !mistake ? { offset: Math.floor(next() * 30) - 2 } : {}),
    };
    const count = chance(0.4);
    const single = chance(0.08);
    const headers: Record<string, string> = {
      ...(count ? { prefer: "count=exact" } : {}),
      ...(single ? { accept: "application/vnd.pgrst.object+json" } : {}),
      ...mistake?.headers,
    };
    const key = mistake?.pair?.slice(0, mistake.pair.indexOf("="));
    const query = [["select", printSelect(read)] as [string, string], ...pairs(read, "")]
      // The first of several orders applies, so the wrong one is alone.
      .filter(([name]) => !(key === "order" && name === "order") && !(key === "limit" && name === "limit"))
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    if (mistake?.pair) query.push(mistake.pair.replaceAll("{", "%7B").replaceAll("}", "%7D"));
    yield {
      path: `/${table}?${query.join("&")}`,
      headers,
      read,
      count,
      single,
      ...(mistake ? { refused: { status: mistake.status, code: mistake.code } } : {}),
    };
  }
}
