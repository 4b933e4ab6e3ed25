/** Owns generated requests, determined by a seed. */
import { random } from "../hostile.ts";
import { type Kind, RELATIONS, SHAPES, TABLES } from "./fixture.ts";
import {
  type Condition,
  type Filter,
  type Item,
  isFolded,
  keyOf,
  type Node,
  type Request,
} from "./request.ts";

const VALUES: Record<Kind, string[]> = {
  int: ["1", "2", "3", "5", "14", "-1"],
  big: ["1", "2", "9007199254740993"],
  number: ["10", "20.5", "99.99", "1e2", "0"],
  text: ["Ada", "p3", "read", "Kassel", "a,b(c)", 'Ärger "x"', "guest", "", "deep", "ünï*code%", "1"],
  date: ["2020-01-03", "2020-01-05"],
  bool: ["true", "false"],
  array: ["{a}", "{}", '{"x y"}', "{a,b,c}"],
  doc: ['{"a":1}', "{}", '{"b":{"c":"deep"}}'],
  range: ["[1,5)", "(2,20]", "empty", "[10,11)"],
  time: ["2024-02-02 00:00+00", "2024-02-05T12:00:00Z"],
};
const COMPARED = ["eq", "neq", "gt", "gte", "lt", "lte", "in", "isdistinct", "is"];
const OPERATORS: Record<Kind, string[]> = {
  int: COMPARED,
  big: COMPARED,
  number: COMPARED,
  text: [...COMPARED, "like", "ilike", "match", "imatch"],
  date: COMPARED,
  bool: [...COMPARED, "is"],
  array: ["eq", "neq", "cs", "cd", "ov", "is"],
  doc: ["eq", "neq", "cs", "cd", "is"],
  range: ["eq", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj", "is"],
  time: COMPARED,
};
const QUANTIFIED = ["eq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch"];
const CASTS: Partial<Record<Kind, string[]>> = {
  int: ["text"],
  number: ["int", "text"],
  date: ["text"],
  doc: ["text"],
};
const PATHS = [["a"], ["b", "c"], ["missing"], ["a", "0"]];
/** Upstream too reads a number before a closing bracket as a key: an embed has no path that ends with one. */
const INNER_PATHS = PATHS.slice(0, 3);

/** An endless sequence, determined by the seed. */
export function* requests(seed: number): Generator<Request, never> {
  const next = random(seed);
  const chance = (share: number) => next() < share;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const times = (most: number) => Math.floor(next() * (most + 1));
  let ids = 1_000;
  const id = () => {
    ids += 1;
    return ids;
  };

  const item = (table: string, paths = PATHS): Item => {
    const [column, kind] = pick(Object.entries(SHAPES[table]?.columns ?? {}));
    if (kind === "doc" && chance(0.6)) return { column, path: { keys: pick(paths), text: chance(0.5) } };
    const casts = CASTS[kind];
    return { column, ...(casts && chance(0.15) ? { cast: pick(casts) } : {}) };
  };

  const condition = (table: string): Condition => {
    const [column, own] = pick(Object.entries(SHAPES[table]?.columns ?? {}));
    const path = own === "doc" && chance(0.5) ? { keys: pick(PATHS), text: true } : undefined;
    const kind = path ? "text" : own;
    // Whether a key is null is known to the planner, which then leaves rights of what is never read unchecked.
    const keyed =
      own === "int" && !["boss_id", "client_id", "author_id", "reviewer_id", "age"].includes(column);
    const operator = pick(OPERATORS[kind].filter((one) => !keyed || one !== "is"));
    const made = { column, kind, ...(path ? { path } : {}), not: chance(0.2), operator };
    if (operator === "is")
      return {
        ...made,
        values: [
          kind === "bool"
            ? pick(["null", "true", "false", "unknown", "not_null"])
            : pick(["null", "not_null"]),
        ],
      };
    const value = () => {
      // For upstream too, `in.("")` is the empty list.
      const plain = pick(VALUES[kind].filter((one) => operator !== "in" || one !== ""));
      if (operator === "like" || operator === "ilike")
        return plain.replace(/^(.)/, "$1*").replaceAll("%", "");
      return operator === "match" || operator === "imatch" ? plain.replace(/[^\w ]/g, ".") : plain;
    };
    if (operator === "in") return { ...made, values: Array.from({ length: 1 + times(2) }, value) };
    if (QUANTIFIED.includes(operator) && kind !== "array" && chance(0.15))
      return {
        ...made,
        quantifier: pick(["any", "all"] as const),
        values: Array.from({ length: 1 + times(2) }, value),
      };
    return { ...made, values: [value()] };
  };

  const filters = (table: string, most: number): Filter[] =>
    Array.from(
      { length: times(most) },
      (): Filter =>
        chance(0.2)
          ? {
              join: pick(["and", "or"] as const),
              not: chance(0.2),
              of: [
                condition(table),
                chance(0.3)
                  ? { join: "or", not: chance(0.3), of: [condition(table), condition(table)] }
                  : condition(table),
              ],
            }
          : condition(table),
    );

  const node = (
    table: string,
    from: string,
    depth: number,
    within: "root" | "many" | "one" | "spread",
  ): Node => {
    const made: Node = {
      table,
      from,
      items: [],
      embeds: [],
      filters: filters(table, within === "root" ? 2 : 1),
      order: [],
    };
    if ((within === "root" || within === "many") && chance(0.12)) {
      for (let i = times(2); i > 0; i -= 1) made.items.push({ ...item(table) });
      made.items = made.items.filter(({ path }) => path === undefined);
      const numeric = Object.entries(SHAPES[table]?.columns ?? {}).filter(([, kind]) =>
        ["int", "big", "number"].includes(kind),
      );
      const fold = pick(["sum", "avg", "min", "max"] as const);
      made.items.push(
        chance(0.4)
          ? { aggregate: "count" }
          : { column: pick(numeric)[0], aggregate: fold, ...(chance(0.2) ? { cast: "text" } : {}) },
      );
      name(made);
      return made;
    }
    for (let i = 1 + times(2); i > 0; i -= 1)
      made.items.push(item(table, within === "root" ? PATHS : INNER_PATHS));
    if (depth > 0) {
      for (let i = times(2); i > 0; i -= 1) {
        const relation = pick(RELATIONS[table] ?? []);
        if (!relation) break;
        // A filter on the column's name would be one on a spread of that name.
        const spread = chance(0.15) && within !== "spread" && relation.name !== "boss_id";
        const inner = chance(0.2);
        const inside = spread ? "spread" : relation.many ? "many" : "one";
        const child = node(relation.table, `public.${relation.table}`, spread ? 0 : depth - 1, inside);
        if (inner) delete child.offset;
        // What is folded without a group is a row in any case.
        const as = pick(relation.as);
        if (spread && !relation.many) child.order = [];
        made.embeds.push({ relation, as, inner: inner && !isFolded(child), spread, node: child });
      }
    }
    // By its relation's name alone, one would be meant for all of that name.
    const names = made.embeds.map(({ relation }) => relation.name);
    made.embeds = made.embeds.filter(
      ({ relation }, at) =>
        names.indexOf(relation.name) === at ||
        !made.embeds.some((one) => one.spread && one.relation.name === relation.name),
    );
    name(made);
    // A spread needs plain keys; what is limited or compared needs an order.
    if (within === "root" || within === "many" || within === "spread") {
      if (chance(0.4)) {
        const [column, kind] = pick(Object.entries(SHAPES[table]?.columns ?? {}));
        if (kind !== "doc")
          made.order.push({
            column,
            descending: chance(0.5),
            ...(chance(0.3) ? { nulls: pick(["first", "last"] as const) } : {}),
          });
      }
      const related = made.embeds.find(
        ({ relation, spread, alias }) => !relation.many && !spread && alias !== undefined,
      );
      // Upstream too orders by what the embed selects, under its own name.
      const shown = related?.node.items.find(
        ({ alias, cast, path, column }) => !alias && !cast && !path && column !== "doc",
      )?.column;
      if (within === "root" && related && shown && chance(0.3))
        made.order.unshift({
          column: shown,
          descending: chance(0.5),
          of: related.alias ?? "",
        });
      made.order.push({ column: SHAPES[table]?.key ?? "id", descending: chance(0.3) });
      if (table === "members") made.order.push({ column: "project_id", descending: false });
      if (within !== "spread" && chance(0.3)) made.limit = 1 + times(4);
      if (within !== "spread" && made.limit && chance(0.3)) made.offset = times(3);
    }
    const tested = made.embeds.find(
      ({ alias, spread, inner, node: child }) => alias !== undefined && !spread && !inner && !isFolded(child),
    );
    if (tested && chance(0.25)) {
      // The exact count, here as upstream, tests the embed without its page.
      delete tested.node.offset;
      made.filters.push({ embed: tested.alias ?? "", exists: chance(0.6) });
    }
    return made;
  };

  /** Gives what would share a key names of their own. */
  const name = (made: Node) => {
    let count = 0;
    const fresh = (letter: string) => {
      count += 1;
      return `${letter}${count}`;
    };
    const taken = new Set<string>();
    for (const one of made.items) {
      const key = keyOf(one);
      if (taken.has(key) || chance(0.15)) one.alias = fresh("k");
      taken.add(one.alias ?? key);
    }
    for (const embed of made.embeds) {
      if (!embed.spread) embed.alias = fresh("e");
      else for (const one of embed.node.items) one.alias = fresh("s");
    }
  };

  const value = (kind: Kind): unknown => {
    if (chance(0.15)) return null;
    const text = pick(VALUES[kind]);
    if (kind === "int" || kind === "big") return 1 + times(9);
    if (kind === "number") return Number(text);
    if (kind === "bool") return text === "true";
    if (kind === "array") return pick([["a"], [], ["x y", 'q"r']]);
    return kind === "doc" ? JSON.parse(text) : text;
  };

  const write = (): Request => {
    const table = pick(["clients", "projects", "tasks"]);
    const made = node(table, `public.${table}`, 1, "root");
    // Only one's own rows are read back after a write, so nothing is folded.
    made.items = made.items.filter(({ aggregate }) => aggregate === undefined);
    if (made.items.length === 0) made.items.push({ column: "id" });
    made.embeds = made.embeds.filter(
      ({ relation, inner }) => relation.table !== table && !relation.from && !inner,
    );
    // Upstream too reads no page of an embed back.
    const whole = (one: Node): void => {
      delete one.limit;
      delete one.offset;
      for (const embed of one.embeds) whole(embed.node);
    };
    whole(made);
    made.filters = [];
    made.order = [{ column: "id", descending: false }];
    const method = pick(["POST", "POST", "PATCH", "DELETE"] as const);
    const columns = Object.entries(SHAPES[table]?.columns ?? {}).filter(([column]) => column !== "id");
    const row = () =>
      Object.fromEntries(columns.filter(() => chance(0.5)).map(([column, kind]) => [column, value(kind)]));
    const request: Request = {
      path: `/${table}`,
      node: made,
      role: pick(["anon", "service_role"] as const),
      count: false,
    };
    const missing = chance(0.3) ? "default" : "null";
    if (method !== "POST") {
      made.filters = [
        {
          column: "id",
          kind: "int",
          not: false,
          operator: "in",
          values: [String(1 + times(13)), String(ids)],
        },
      ];
      return { ...request, write: { method, rows: method === "PATCH" ? [row()] : [], missing } };
    }
    const bulk = chance(0.5);
    const rows = Array.from({ length: bulk ? 1 + times(2) : 1 }, () => ({
      id: chance(0.2) ? 1 + times(9) : id(),
      ...row(),
    }));
    const unique = rows.filter(({ id }, at) => rows.findIndex((other) => other.id === id) === at);
    const keys = [...new Set(unique.flatMap((one) => Object.keys(one)))];
    const complete = unique.every((one) => Object.keys(one).length === keys.length);
    const asked = { ...(!complete || chance(0.2) ? { columns: keys } : {}) };
    const resolution = chance(0.4) ? pick(["merge-duplicates", "ignore-duplicates"] as const) : undefined;
    return {
      ...request,
      write: { method, rows: unique, ...asked, missing, ...(resolution ? { resolution } : {}) },
    };
  };

  /** Of a function that gives no table's rows. */
  const call = (): Request => {
    const [name, args, shape, table] = pick<[string, Record<string, string>, Request["shape"], string?]>([
      ["plus", { a: pick(VALUES.int), ...(chance(0.5) ? { b: pick(VALUES.int) } : {}) }, "value"],
      ["letters", { word: pick(["", "a", "rest", "ünï"]) }, "values"],
      ["first_client", { wanted: pick(VALUES.int) }, "row", "clients"],
      ["both", {}, "row", "both"],
      ["cities", {}, undefined, "cities"],
    ]);
    const text = Object.entries(args).map(([key, one]) => `${key} => '${one}'`);
    const from = `public.${name}(${text.join(", ")})`;
    const value: Node = {
      table: name,
      from: `(select v from ${from} v)`,
      items: [{ column: "v" }],
      embeds: [],
      filters: [],
      order: [],
    };
    if (chance(0.4)) value.limit = times(2);
    // An empty page that does not begin at the first row is refused, as upstream.
    if (chance(0.3) && value.limit !== 0) value.offset = times(2);
    const post = chance(0.5);
    return {
      path: `/rpc/${name}${post ? "" : `?${new URLSearchParams(args)}`}`.replace(/\?$/, ""),
      node: table === undefined ? value : node(table, from, 0, "root"),
      role: pick(["anon", "service_role"] as const),
      count: false,
      ...(post ? { args } : {}),
      ...(shape ? { shape } : {}),
    };
  };

  for (;;) {
    if (chance(0.2)) {
      yield write();
      continue;
    }
    if (chance(0.08)) {
      yield call();
      continue;
    }
    const role = pick(["anon", "service_role"] as const);
    if (chance(0.15)) {
      const minimum = chance(0.5) ? pick(["0", "50"]) : undefined;
      const made = node(
        "projects",
        `public.found(${minimum === undefined ? "" : `minimum => '${minimum}'`})`,
        2,
        "root",
      );
      // The function's rows have the table's relationships, but no other function takes them.
      made.embeds = made.embeds.filter(({ relation }) => !relation.from);
      made.filters = made.filters.filter((one) => !("embed" in one));
      made.order = made.order.filter(({ of }) => of === undefined);
      yield {
        path: `/rpc/found${minimum === undefined ? "" : `?minimum=${minimum}`}`,
        node: made,
        role,
        count: false,
      };
      continue;
    }
    const table = pick(Object.keys(TABLES));
    const made = node(table, `public.${table}`, 2, "root");
    // The count of what is folded is that of the rows beneath, as upstream counts.
    const count = !isFolded(made) && chance(0.3);
    yield { path: `/${table}`, node: made, role, count };
  }
}
