/**
 * Owns ClickHouse's functions in queries of logs, in Postgres's words. A function that is not here is refused: its
 * result here could differ from hosted's.
 */
type Translation = (args: string[]) => string;

const one =
  (sql: (value: string) => string): Translation =>
  ([value = "", ...more]) =>
    more.length === 0 && value !== "" ? sql(value) : wrong();
const two =
  (sql: (first: string, second: string) => string): Translation =>
  ([first = "", second = "", ...more]) =>
    more.length === 0 && second !== "" ? sql(first, second) : wrong();
const same =
  (name: string): Translation =>
  (args) =>
    `${name}(${args.join(", ")})`;

/** An error of a call with arguments that are not translated. */
export class WrongArguments extends Error {}

function wrong(): never {
  throw new WrongArguments();
}

/**
 * The whole text is a number, or the result is another. Takes text only, as ClickHouse. Without a condition before the
 * cast: Postgres evaluates casts of constants early.
 */
const numberIn = (value: string, pattern: string) => `substring(${value} from '^${pattern}$')::numeric`;

function integer(low: string, high: string, otherwise: "0" | "null"): Translation {
  return one((value) => {
    const number = numberIn(value, "[+-]?[0-9]{1,20}");
    return `coalesce((case when ${number} between ${low} and ${high} then ${number} end)::bigint, ${otherwise})`;
  });
}

function float(otherwise: "0" | "null"): Translation {
  return one(
    (value) => `coalesce(${numberIn(value, "[+-]?[0-9]{1,15}(?:\\.[0-9]{1,15})?")}::float8, ${otherwise})`,
  );
}

const RANGES: readonly [type: string, low: string, high: string][] = [
  ["int32", "-2147483648", "2147483647"],
  ["int64", "-9223372036854775808", "9223372036854775807"],
  ["uint16", "0", "65535"],
  ["uint32", "0", "4294967295"],
];

/** By names in lower case. */
export const FUNCTIONS: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  ["count", ([value = "*"]) => `count(${value})`],
  ["countif", one((condition) => `count(*) filter (where ${condition})`)],
  ["sum", one((value) => `sum(${value})`)],
  ["sumif", two((value, condition) => `sum(${value}) filter (where ${condition})`)],
  ["avg", one((value) => `avg(${value})`)],
  ["avgif", two((value, condition) => `avg(${value}) filter (where ${condition})`)],
  ["min", one((value) => `min(${value})`)],
  ["max", one((value) => `max(${value})`)],
  ["any", one((value) => `any_value(${value})`)],
  ["uniq", one((value) => `count(distinct ${value})`)],
  ["uniqexact", one((value) => `count(distinct ${value})`)],
  ["median", one((value) => `percentile_cont(0.5) within group (order by ${value})`)],
  ["tostring", one((value) => `(${value})::text`)],
  ["lower", one((value) => `lower(${value})`)],
  ["upper", one((value) => `upper(${value})`)],
  ["length", one((value) => `octet_length(${value})`)],
  ["substring", same("substr")],
  ["concat", same("concat")],
  ["coalesce", same("coalesce")],
  ["ifnull", same("coalesce")],
  ["nullif", two((value, other) => `nullif(${value}, ${other})`)],
  ["empty", one((value) => `(${value} = '')`)],
  ["notempty", one((value) => `(${value} <> '')`)],
  ["round", same("round")],
  ["floor", one((value) => `floor(${value})`)],
  ["abs", one((value) => `abs(${value})`)],
  [
    "if",
    ([condition = "", yes = "", no = ""]) =>
      no ? `case when ${condition} then ${yes} else ${no} end` : wrong(),
  ],
  ["multiif", multiIf],
  ["startswith", two((text, start) => `starts_with(${text}, ${start})`)],
  ["match", two((text, pattern) => `(${text} ~ ${pattern})`)],
  ["position", two((text, part) => `strpos(${text}, ${part})`)],
  ["positioncaseinsensitive", two((text, part) => `strpos(lower(${text}), lower(${part}))`)],
  ["positioncaseinsensitiveutf8", two((text, part) => `strpos(lower(${text}), lower(${part}))`)],
  [
    "jsonextractstring",
    two((text, key) => `coalesce(case when ${text} is json object then (${text})::jsonb ->> ${key} end, '')`),
  ],
  ["mapkeys", one((map) => `jsonb_object_keys(${map})`)],
  ["mapcontains", two((map, key) => `jsonb_exists(${map}, ${key})`)],
  // Of keys only: `jsonb_object_keys` already gives a row for each.
  ["arrayjoin", one((keys) => (keys.startsWith("jsonb_object_keys(") ? keys : wrong()))],
  ["tostartofminute", one((time) => `date_trunc('minute', ${time})`)],
  ["tostartoffiveminutes", one((time) => `date_bin('5 minutes', ${time}, 'epoch')`)],
  ["tostartoffifteenminutes", one((time) => `date_bin('15 minutes', ${time}, 'epoch')`)],
  ["tostartofhour", one((time) => `date_trunc('hour', ${time})`)],
  ["tostartofday", one((time) => `date_trunc('day', ${time})`)],
  ["tostartofinterval", two((time, length) => `date_bin(${length}, ${time}, 'epoch')`)],
  ["tounixtimestamp", one((time) => `floor(extract(epoch from ${time}))::bigint`)],
  ["tounixtimestamp64milli", one((time) => `floor(extract(epoch from ${time}) * 1000)::bigint`)],
  ["todatetime", one((value) => `(${value})::timestamp`)],
  ["todatetime64", ([value = ""]) => `(${value})::timestamp`],
  ["parsedatetimebesteffort", one((value) => `((${value})::timestamptz at time zone 'utc')`)],
  ["now", ([...args]) => (args.length === 0 ? "(now() at time zone 'utc')" : wrong())],
  ["now64", () => "(now() at time zone 'utc')"],
  ...RANGES.flatMap(([type, low, high]): [string, Translation][] => [
    [`to${type}orzero`, integer(low, high, "0")],
    [`to${type}ornull`, integer(low, high, "null")],
  ]),
  ["tofloat64orzero", float("0")],
  ["tofloat64ornull", float("null")],
]);

function multiIf(args: string[]): string {
  const otherwise = args.at(-1);
  if (args.length < 3 || args.length % 2 === 0 || !otherwise) return wrong();
  const cases = args
    .slice(0, -1)
    .flatMap((condition, index) => (index % 2 === 0 ? `when ${condition} then ${args[index + 1]}` : []));
  return `case ${cases.join(" ")} else ${otherwise} end`;
}
