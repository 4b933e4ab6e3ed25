/** Owns reading the body of an SQL function, so that an explanation goes on inside it. */
import { quote, quoteLiteral, settingValue } from "../../postgres/quoting.ts";
import { tokenize } from "../../postgres/statements/lexer.ts";
import { isName, isSymbol, isWord, splitAt } from "../expression/expression.ts";
import { ExplainError, messageOf, type Session } from "./explanation-transaction.ts";

/** A function whose single statement is known. */
export interface Body {
  /** As a call names it. */
  name: string;
  /** Of its single statement, a query or the expression of RETURN, as Postgres prints it. */
  text: string;
  definer: boolean;
  owner: string;
  /** By position; "" for none. */
  parameters: { name: string; type: string; default: string | null }[];
}

interface FunctionRow extends Omit<Body, "text"> {
  oid: number;
  language: string;
  body: string | null;
  source: string;
  arguments: string;
  result: string;
  config: string[] | null;
}

const FUNCTION = `select p.oid::int8::int as oid, l.lanname::text as language, p.prosecdef as definer,
    pg_catalog.pg_get_userbyid(p.proowner)::text as owner, pg_catalog.pg_get_function_sqlbody(p.oid) as body,
    p.prosrc as source, pg_catalog.pg_get_function_arguments(p.oid) as arguments,
    pg_catalog.pg_get_function_result(p.oid) as result, p.proconfig as config, p.proname::text as name,
    (select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('name', coalesce(p.proargnames[n], ''),
        'type', pg_catalog.format_type(t, null), 'default', pg_catalog.pg_get_function_arg_default(p.oid, n::int)) order by n), '[]')
      from pg_catalog.unnest(p.proargtypes) with ordinality u(t, n)) as parameters
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang`;

/**
 * @param call a qualified name as Postgres prints it. @param args how many arguments it has.
 * @throws ExplainError which says why the function is shown by its value only.
 */
export async function readBody(session: Session, call: string, args: number): Promise<Body> {
  const [schema = "pg_catalog", name = ""] = identifiersOf(call.includes(".") ? call : `pg_catalog.${call}`);
  const found = await session.known<FunctionRow>(
    `${FUNCTION} where n.nspname = $1 and p.proname = $2 and $3 between p.pronargs - p.pronargdefaults and p.pronargs`,
    [schema, name, args],
  );
  const [one] = found;
  if (!one) throw new ExplainError(`${call} was not found`);
  if (found.length > 1) throw new ExplainError(`${call} has several forms, so only its value is shown`);
  return bodyOf(session, call, one);
}

/** The text of a project's function, as far as it has one. @param call as `readBody` takes it. */
export async function sourceOf(session: Session, call: string): Promise<string | undefined> {
  const [schema, name] = identifiersOf(call);
  if (name === undefined || schema === "pg_catalog" || schema === "auth") return undefined;
  const [found] = await session.known<{ source: string }>(
    `select coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc) as source
     from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = $1 and p.proname = $2`,
    [schema, name],
  );
  return found?.source;
}

/** The body of the function with this id. @throws ExplainError as `readBody` does. */
export async function readBodyOf(session: Session, oid: number): Promise<Body> {
  const [one] = await session.known<FunctionRow>(`${FUNCTION} where p.oid = $1`, [oid]);
  if (!one) throw new ExplainError("it was not found");
  return bodyOf(session, "it", one);
}

async function bodyOf(session: Session, call: string, one: FunctionRow): Promise<Body> {
  if (one.language !== "sql")
    throw new ExplainError(`${call} is written in ${one.language}, so only its value is shown`);
  const printed = one.body ?? (await session.once(`body ${one.oid}`, () => printedBody(session, one)));
  const statements = statementsOf(printed);
  const [text] = statements;
  if (text === undefined || statements.length > 1) {
    throw new ExplainError(`${call} has more than one statement, so only its value is shown`);
  }
  return { ...one, text };
}

/** A string body as Postgres prints it, by a copy that is parsed where the function's own settings hold. */
async function printedBody(session: Session, one: FunctionRow): Promise<string> {
  if (session.readOnly) {
    throw new ExplainError(
      `${one.name} has its body as a string, which is read only in a transaction that may create a copy: without --db-url`,
    );
  }
  const own = one.config?.find((entry) => entry.startsWith("search_path="))?.slice("search_path=".length);
  const path = own ?? session.searchPath;
  const source = one.source.trim().replace(/;\s*$/, "");
  try {
    return await session.undone(async () => {
      await session.rows(`set local search_path = ${settingValue("search_path", path)}`);
      const copy = `pg_temp.${quote(one.name)}`;
      await session.rows(
        `create function ${copy}(${one.arguments}) returns ${one.result} language sql begin atomic ${source}; end`,
      );
      await session.rows("set local search_path = ''");
      const [row] = await session.rows<{ body: string }>(
        `select pg_catalog.pg_get_function_sqlbody(p.oid) as body from pg_catalog.pg_proc p
         where p.proname = $1 and p.pronamespace = pg_catalog.pg_my_temp_schema()`,
        [one.name],
      );
      return row?.body ?? "";
    });
  } catch (error) {
    throw new ExplainError(`${one.name} could not be read: ${messageOf(error)}`);
  }
}

/** The statements between BEGIN ATOMIC and END, or what follows RETURN. */
function statementsOf(body: string): string[] {
  const tokens = tokenize(body);
  const [first, second] = tokens;
  if (first && isWord(first, "return")) return [body.slice(first.to).trim()];
  const last = tokens.at(-1);
  if (!second || !last || !isWord(second, "atomic")) return [];
  return splitAt(body.slice(second.to, last.from), (token) => isSymbol(token, ";"))
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The identifiers of a qualified name, as they are in the catalog. */
export function identifiersOf(name: string): string[] {
  return tokenize(name)
    .filter(isName)
    .map(({ value }) => value);
}

/** A function's name and its arguments. */
export interface Bound {
  name: string;
  parameters: {
    name: string;
    /** SQL. */
    value: string;
    /** The value as a person reads it. */
    shown: string;
    /** Whether it depends on the row that is judged. */
    ofRow: boolean;
  }[];
}

/** The SQL of a value of a type. */
export function typedValue(value: string | null, type: string): string {
  return value === null ? `null::${type}` : `${quoteLiteral(value)}::${type}`;
}

/**
 * Replaces a function's parameters. In a query over tables a name alone is a column, and Postgres prints the function's
 * name before a parameter's.
 * @param written what stands for a parameter.
 */
export function bindParameters(
  text: string,
  { name, parameters }: Bound,
  written: (parameter: Bound["parameters"][number]) => string,
): string {
  const bare = !(/\bselect\b/i.test(text) && /\bfrom\b/i.test(text));
  const tokens = tokenize(text);
  let result = "";
  let at = 0;
  const put = (from: number, to: number, parameter: Bound["parameters"][number] | undefined) => {
    result += text.slice(at, from) + (parameter ? written(parameter) : "null");
    at = to;
  };
  const named = (value: string | undefined) =>
    parameters.find((one) => one.name !== "" && one.name === value);
  for (const [position, token] of tokens.entries()) {
    if (token.from < at) continue;
    const [before, next, after] = [tokens[position - 1], tokens[position + 1], tokens[position + 2]];
    const qualifies = next !== undefined && isSymbol(next, ".");
    const value = qualifies && token.value === name ? named(after?.value) : undefined;
    const alone = !qualifies && !(before && isSymbol(before, ".")) && !(next && isSymbol(next, "("));
    if (value !== undefined && after) put(token.from, after.to, value);
    else if (bare && alone && isName(token) && named(token.value) !== undefined) {
      put(token.from, token.to, named(token.value));
    } else if (isSymbol(token, "$") && next && /^\d+$/.test(next.value)) {
      put(token.from, next.to, parameters[Number(next.value) - 1]);
    }
  }
  return result + text.slice(at);
}
