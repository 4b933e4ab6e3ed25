/**
 * Owns the signatures, operators and operator classes of PGroonga 3.2 without its library: indexes can be made and are
 * kept, no plan uses them, and a search fails (https://pgroonga.github.io/reference/).
 */

/** The types that PGroonga searches. A varchar is read as text. */
const SEARCHED = ["text", "text[]", "jsonb"];
/** Its operators, with what their functions are called. */
const OPERATORS: Record<string, { called: string; right: string }> = {
  "&@": { called: "match", right: "text" },
  "&@~": { called: "query", right: "text" },
  "&@*": { called: "similar", right: "text" },
  "&`": { called: "script", right: "text" },
  "&=": { called: "equal", right: "text" },
  "&^": { called: "prefix", right: "text" },
  "&^~": { called: "prefix_rk", right: "text" },
  "&~": { called: "regexp", right: "text" },
  "&@|": { called: "match_in", right: "text[]" },
  "&@~|": { called: "query_in", right: "text[]" },
  "&^|": { called: "prefix_in", right: "text[]" },
  "&^~|": { called: "prefix_rk_in", right: "text[]" },
  "&~|": { called: "regexp_in", right: "text[]" },
};
const SEARCHES = SEARCHED.flatMap((left) =>
  Object.entries(OPERATORS).flatMap(([operator, { called, right }]) => [
    { operator, called, left, right },
    ...(called === "match" || called === "query"
      ? [{ operator, called: `${called}_condition`, left, right: "pgroonga_condition" }]
      : []),
  ]),
);
const functionOf = ({ called, left }: (typeof SEARCHES)[number]) =>
  `pgroonga_${called}_${left.replace("[]", "_array")}`;

/** As CREATE FUNCTION has them, without a body. Names of indexes are text here, as PL/pgSQL takes no cstring. */
export const PGROONGA_FUNCTIONS: readonly string[] = [
  'pgroonga_score("row" record) returns float8',
  "pgroonga_score(tableoid oid, ctid tid) returns float8",
  "pgroonga_table_name(indexname text) returns text",
  "pgroonga_command(groongacommand text) returns text",
  "pgroonga_command(groongacommand text, arguments text[]) returns text",
  "pgroonga_query_expand(tablename text, termcolumnname text, synonymscolumnname text, query text) returns text",
  "pgroonga_snippet_html(target text, keywords text[], width integer default 200) returns text[]",
  "pgroonga_highlight_html(target text, keywords text[]) returns text",
  "pgroonga_highlight_html(target text, keywords text[], indexname text) returns text",
  "pgroonga_highlight_html(targets text[], keywords text[]) returns text[]",
  "pgroonga_highlight_html(targets text[], keywords text[], indexname text) returns text[]",
  "pgroonga_match_positions_byte(target text, keywords text[]) returns integer[]",
  "pgroonga_match_positions_byte(target text, keywords text[], indexname text) returns integer[]",
  "pgroonga_match_positions_character(target text, keywords text[]) returns integer[]",
  "pgroonga_match_positions_character(target text, keywords text[], indexname text) returns integer[]",
  "pgroonga_query_extract_keywords(query text, index_name text default '') returns text[]",
  "pgroonga_flush(indexname text) returns bool",
  "pgroonga_query_escape(query text) returns text",
  "pgroonga_escape(value text) returns text",
  "pgroonga_escape(value text, special_characters text) returns text",
  "pgroonga_wal_apply() returns bigint",
  "pgroonga_wal_truncate() returns bigint",
  "pgroonga_is_writable() returns bool",
  "pgroonga_set_writable(newwritable bool) returns bool",
  "pgroonga_normalize(target text) returns text",
  "pgroonga_normalize(target text, normalizername text) returns text",
  "pgroonga_tokenize(target text, options text[]) returns json[]",
  "pgroonga_vacuum() returns bool",
  ...SEARCHES.map((search) => `${functionOf(search)}(${search.left}, ${search.right}) returns bool`),
];

export const PGROONGA_OBJECTS = `
create schema pgroonga;
create type pgroonga_full_text_search_condition as (query text, weigths int[], indexname text);
create type pgroonga_condition as (query text, weigths int[], scorers text[], schema_name text, index_name text,
  column_name text, fuzzy_max_distance_ratio float4);
create function pgroonga_condition(query text = null, weights int[] = null, scorers text[] = null,
  schema_name text = null, index_name text = null, column_name text = null, fuzzy_max_distance_ratio float4 = null)
  returns pgroonga_condition language sql immutable parallel safe
  as $$ select row($1, $2, $3, $4, $5, $6, $7)::pgroonga_condition $$;`;

const CONSISTENT = "(internal, int2, internal, int4, internal, internal, internal, internal)";

/** Types whose values are keys as they are, and how Postgres compares them. */
const SCALARS = {
  bool: "btboolcmp",
  int2: "btint2cmp",
  int4: "btint4cmp",
  int8: "btint8cmp",
  float4: "btfloat4cmp",
  float8: "btfloat8cmp",
  timestamp: "timestamp_cmp",
  timestamptz: "timestamptz_cmp",
  uuid: "uuid_cmp",
};

/** Operator classes by type, the default one first. The index behind them is a GIN index, which takes several columns. */
const CLASSES: Record<
  string,
  { extract: string; query: string; storage?: string; compare: string; names: string[] }
> = {
  text: ofText("text", ["full_text_search", "term_search", "regexp"]),
  varchar: ofText("varchar", ["term_search", "full_text_search", "regexp"]),
  "text[]": ofArrays("text", ["full_text_search", "term_search"]),
  "varchar[]": ofArrays("varchar", ["term_search"]),
  jsonb: {
    extract: "gin_extract_jsonb_path(jsonb, internal, internal)",
    query: "gin_extract_jsonb_query_path(jsonb, internal, int2, internal, internal, internal, internal)",
    storage: "int4",
    compare: "btint4cmp(int4, int4)",
    names: ["pgroonga_jsonb_ops_v2", "pgroonga_jsonb_full_text_search_ops_v2"],
  },
  ...Object.fromEntries(
    Object.entries(SCALARS).map(([type, compare]) => [
      type,
      {
        extract: `pgroonga_extract_${type}(${type}, internal)`,
        query: `pgroonga_extract_query_${type}(${type}, internal, int2, internal, internal)`,
        compare: `${compare}(${type}, ${type})`,
        names: [`pgroonga_${type}_ops`],
      },
    ]),
  ),
};

function ofText(type: string, kinds: readonly string[]) {
  return {
    extract: "pgroonga_extract_text(text, internal)",
    query: "pgroonga_extract_query_text(text, internal, int2, internal, internal)",
    storage: "int4",
    compare: "btint4cmp(int4, int4)",
    names: kinds.map((kind) => `pgroonga_${type}_${kind}_ops_v2`),
  };
}

function ofArrays(type: string, kinds: readonly string[]) {
  return {
    extract: "ginarrayextract(anyarray, internal, internal)",
    query: "ginqueryarrayextract(anyarray, internal, int2, internal, internal, internal, internal)",
    storage: type,
    compare: "bttextcmp(text, text)",
    names: kinds.map((kind) => `pgroonga_${type}_array_${kind}_ops_v2`),
  };
}

/** Functions that split a value into an index's keys: those of pg_trgm and btree_gin. */
function extractors(): string {
  const of = (type: string, library: string, extract: string, query: string) => `
create function pgroonga_extract_${type}(${type}, internal) returns internal language c immutable strict parallel safe
  as '$libdir/${library}', '${extract}';
create function pgroonga_extract_query_${type}(${type}, internal, int2, internal, internal) returns internal
  language c immutable strict parallel safe as '$libdir/${library}', '${query}';`;
  return [
    of("text", "pg_trgm", "gin_extract_value_trgm", "gin_extract_query_trgm"),
    ...Object.keys(SCALARS).map((type) =>
      of(type, "btree_gin", `gin_extract_value_${type}`, `gin_extract_query_${type}`),
    ),
  ].join("");
}

/** Operators, operator classes and the access method, which use the functions. */
export const PGROONGA_SEARCHES = `
${SEARCHES.map(
  (search) =>
    `create operator ${search.operator} (procedure = ${functionOf(search)}, leftarg = ${search.left}, rightarg = ${search.right});`,
).join("\n")}
create function pgroonga_handler(internal) returns index_am_handler language internal as 'ginhandler';
create access method pgroonga type index handler pgroonga_handler;
create function pgroonga_consistent${CONSISTENT}
  returns bool language internal immutable strict parallel safe as 'ginarrayconsistent';
${extractors()}
${Object.entries(CLASSES)
  .flatMap(([type, { extract, query, storage, compare, names }]) =>
    names.map(
      (name, at) =>
        `create operator class ${name} ${at === 0 ? "default " : ""}for type ${type} using pgroonga as function 1 ${compare}, ` +
        `function 2 ${extract}, function 3 ${query}, function 4 pgroonga_consistent${CONSISTENT}` +
        `${storage ? `, storage ${storage}` : ""};`,
    ),
  )
  .join("\n")}`;
