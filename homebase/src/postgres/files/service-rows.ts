/**
 * Owns inserts into tables of Auth and Storage that name columns or tables of another version of these services, as
 * data dumps of hosted projects do: what this version has is inserted, and the start names what it left out.
 */
import { quote, quoteLiteral } from "../quoting.ts";
import { type Token, tokenize } from "../statements/lexer.ts";

const CANDIDATE = /^insert\s+into\s+"?(?:auth|storage)"?\s*\.\s*/i;
/** The staging table. It exists only while the statement runs. */
const STAGED = "pg_temp.homebase_rows";

/**
 * A block's code that runs such an insert, and on an unknown column or table inserts the rest of its rows.
 * @param text a statement without the comments before it.
 * @param note PL/pgSQL that reports `sqlerrm`.
 * @returns undefined for every other statement.
 */
export function serviceRows(text: string, note: string): string | undefined {
  if (!CANDIDATE.test(text)) return undefined;
  const tokens = tokenize(text);
  const schema = tokens[2];
  const table = tokens[4];
  const open = tokens[5];
  if (!schema || !table || open?.value !== "(" || open.kind !== "symbol") return undefined;
  const close = tokens.findIndex(({ kind, value }) => kind === "symbol" && value === ")");
  const columns = tokens.slice(6, close).filter(({ kind }) => kind === "name" || kind === "quoted");
  if (close < 0 || columns.length === 0 || columns.length * 2 - 1 !== close - 6) return undefined;
  const conflict = conflictClause(text, tokens);
  if (tokens.some(({ kind, value }) => kind === "name" && value === "returning")) return undefined;
  const rows = text.slice(tokens[close]?.to, conflict?.from);
  const target = `${quote(schema.value)}.${quote(table.value)}`;
  const names = columns.map(({ value }) => value);
  return `begin
${text};
exception when undefined_table then ${note}
when undefined_column then
if exists (select from pg_catalog.unnest(array[${names.map(quoteLiteral).join(", ")}]) listed where not exists (${attribute(target, "listed")})) then
${note}
declare kept text; begin
execute pg_catalog.format('create temporary table homebase_rows (%s)', (select pg_catalog.string_agg(pg_catalog.format('%I %s', listed,
  coalesce((${attribute(target, "listed", "pg_catalog.format_type(a.atttypid, a.atttypmod)")}), 'text')), ', ')
  from pg_catalog.unnest(array[${names.map(quoteLiteral).join(", ")}]) listed));
insert into ${STAGED} (${names.map(quote).join(", ")}) ${rows};
select pg_catalog.string_agg(pg_catalog.quote_ident(listed), ', ') into kept
  from pg_catalog.unnest(array[${names.map(quoteLiteral).join(", ")}]) listed where exists (${attribute(target, "listed")});
execute ${quoteLiteral(`insert into ${target} (`)} || kept || ') select ' || kept || ${quoteLiteral(` from ${STAGED} ${conflict?.text ?? ""}`)};
drop table ${STAGED};
end;
else raise; end if;
end`;
}

/** A query for a column of the table. */
function attribute(table: string, name: string, selected = ""): string {
  return `select ${selected} from pg_catalog.pg_attribute a where a.attrelid = ${quoteLiteral(table)}::pg_catalog.regclass and a.attname = ${name} and a.attnum > 0 and not a.attisdropped`;
}

/** The last `on conflict …` outside of parentheses. */
function conflictClause(text: string, tokens: readonly Token[]): { from: number; text: string } | undefined {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "symbol" && token.value === "(") depth += 1;
    if (token.kind === "symbol" && token.value === ")") depth -= 1;
    if (depth > 0 || token.kind !== "name" || token.value !== "on") continue;
    if (tokens[index + 1]?.value !== "conflict") continue;
    return { from: token.from, text: text.slice(token.from) };
  }
  return undefined;
}
