/** Owns a request's test in pgTAP. */
import { arrayLiteral, quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { furtherClaims, type MadeTest, USUAL_CLAIMS } from "./made.ts";

/** Makes the user with an address the caller, as a token of theirs does. */
const SIGN_IN = `create function pg_temp.sign_in(address text, further jsonb default '{}') returns text language sql as $$
  select set_config('request.jwt.claims', (${quoteLiteral(JSON.stringify(USUAL_CLAIMS))}::jsonb
    || jsonb_build_object('sub', id) || further)::text, true)
  from auth.users where email = address
$$;
`;

export function tapTest(test: MadeTest): string {
  const { comments, statements, searchPath, role, address } = test;
  const there = test.there && test.key.columns.length > 0;
  return [
    ...comments.map((line) => `-- ${line}`),
    "begin;",
    `select plan(${there ? 2 : 1});`,
    "",
    ...(address === undefined ? [] : [SIGN_IN]),
    ...statements,
    "",
    ...(there ? [`select isnt_empty(${dollars(readOf(test))}, 'the row is there');`] : []),
    callerOf(test),
    `set local search_path = ${searchPath};`,
    `set local role ${quote(role)};`,
    `select ${assertionOf(test)};`,
    "",
    "select * from finish();",
    "rollback;",
    "",
  ].join("\n");
}

function callerOf(test: MadeTest): string {
  const { address, claims } = test;
  if (address === undefined) {
    return `select set_config('request.jwt.claims', ${quoteLiteral(JSON.stringify(claims))}, true);`;
  }
  const further = furtherClaims(test);
  const more = Object.keys(further).length === 0 ? "" : `, ${quoteLiteral(JSON.stringify(further))}`;
  return `select pg_temp.sign_in(${quoteLiteral(address)}${more});`;
}

/** The assertion, which runs as the caller. */
function assertionOf(test: MadeTest): string {
  const { outcome, command, message } = test;
  const title = quoteLiteral(test.title);
  const statement = command === "select" ? readOf(test) : writeOf(test);
  switch (outcome) {
    case "seen":
      return `isnt_empty(${dollars(statement)}, ${title})`;
    case "empty":
      return `is_empty(${dollars(command === "select" ? statement : `${statement} returning 1`)}, ${title})`;
    case "refused":
      return `throws_ok(${dollars(statement)}, '42501', ${message === undefined ? "null" : quoteLiteral(message)}, ${title})`;
    case "value":
      return test.value === null || test.value === undefined
        ? `is((${statement})::text, null, ${title})`
        : `is((${statement})::text, ${quoteLiteral(test.value)}, ${title})`;
    case "allowed":
      return `lives_ok(${dollars(statement)}, ${title})`;
  }
}

/** A call with its arguments by name. */
export function callText({ name, args }: NonNullable<MadeTest["called"]>): string {
  const given = Object.entries(args).map(([key, value]) => `${quote(key)} => ${argument(value)}`);
  return `${quoteName(name)}(${given.join(", ")})`;
}

/** A list is one of Postgres, whose items it reads by the argument's type; an object is JSON. */
function argument(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value))
    return quoteLiteral(
      arrayLiteral(value.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))),
    );
  return quoteLiteral(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function readOf({ table, key, columns, outcome, called }: MadeTest): string {
  if (called)
    return called.set || outcome === "refused"
      ? `select 1 from ${callText(called)}`
      : `select ${callText(called)}`;
  const output = outcome === "refused" && columns.length > 0 ? columns.map(quote).join(", ") : "1";
  return `select ${output} from ${quoteName(table)}${key.columns.length === 0 ? "" : ` where ${keyOf({ key })}`}`;
}

function writeOf({ table, command, key, rows }: MadeTest): string {
  const name = quoteName(table);
  if (command === "delete") return `delete from ${name} where ${keyOf({ key })}`;
  const columns = Object.keys(rows[0] ?? {}).map(quote);
  if (command === "update") {
    const value = `jsonb_populate_record(null::${name}, ${quoteLiteral(JSON.stringify(rows[0] ?? {}))})`;
    const list = columns.map((column) => `${column} = given.${column}`).join(", ");
    return `update ${name} as changed set ${list} from ${value} as given where ${keyOf({ key }, "changed.")}`;
  }
  const all = `jsonb_populate_recordset(null::${name}, ${quoteLiteral(JSON.stringify(rows))})`;
  return columns.length === 0
    ? `insert into ${name} default values`
    : `insert into ${name} (${columns.join(", ")}) select ${columns.join(", ")} from ${all}`;
}

function keyOf({ key }: Pick<MadeTest, "key">, alias = ""): string {
  return key.columns
    .map((column, at) => `${alias}${quote(column)} = ${quoteLiteral(key.values[at] ?? "")}`)
    .join(" and ");
}

/** A text between dollar signs that it does not have in it. */
function dollars(text: string): string {
  let tag = "$$";
  for (let at = 1; text.includes(tag); at++) tag = `$test${at}$`;
  return `${tag}${text}${tag}`;
}
