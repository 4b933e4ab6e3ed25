/** Owns finding the tables that lack a column, of which Postgres's message has only the name, or an alias before it. */
import type pg from "pg";
import { type Token, tokenize } from "../statements/lexer.ts";
import { mentionsIn } from "./objects.ts";

/** A column that a statement uses and no table in it has. */
export interface LackedColumn {
  name: string;
  /** The tables of the statement that may be meant, without their schemas. */
  tables: string[];
  /** Whether it stands in double quotes where a value is expected. */
  mayBeText: boolean;
}

const MESSAGES = [
  /^column (?<owner>\w+|"[^"]+")\.(?<column>\w+|"[^"]+") does not exist$/,
  /^column "(?<column>[^"]+)" (?:named in key |referenced in .+ )?does not exist$/,
];
/** Names that stand for a row of any table of the statement. */
const ROWS = new Set(["excluded", "new", "old"]);

/**
 * @param message with the hint, if Postgres has a similar name: then it is a slip of the pen
 * @param files that may make tables which are not there
 * @returns undefined where it is another error, or no table of the project is meant
 */
export async function lackedColumn(
  client: pg.ClientBase,
  { message, hint }: { message: string; hint?: string | undefined },
  statement: string,
  files: readonly { path: string; sql: string }[],
): Promise<LackedColumn | undefined> {
  const found = MESSAGES.map((pattern) => pattern.exec(message)?.groups).find((one) => one !== undefined);
  if (!found || hint?.startsWith("Perhaps you meant")) return undefined;
  const [column = "", owner] = [found.column, found.owner].map((name) => name?.replaceAll('"', ""));
  const tokens = sideOf(tokensOf(statement), message, column);
  const isNamedHere = tokens.some(
    ({ value }, at) => at > 0 && value === column && isWord(tokens[at - 1], "as"),
  );
  if (isNamedHere) return undefined;
  const any = owner === undefined || ROWS.has(owner);
  const names = tokens.flatMap((token, at) => {
    const next = tokens[at + (isWord(tokens[at + 1], "as") ? 2 : 1)];
    const isMeant = isName(token) && (any || token.value === owner || (isName(next) && next.value === owner));
    return isMeant ? [token.value] : [];
  });
  const tables = await tablesWithout(client, [...new Set(names)], column, files);
  if (tables.length === 0) return undefined;
  const mayBeText = tokens.some(
    ({ kind, value }, at) =>
      kind === "quoted" && value === column && /^(?:[=<>]|default|in)$/.test(tokens[at - 1]?.value ?? ""),
  );
  return { name: column, tables, mayBeText };
}

/** Of a foreign key, the side that names the column: its own table, or the one that it refers to. */
function sideOf(tokens: Token[], message: string, column: string): Token[] {
  if (!message.includes("referenced in foreign key constraint")) return tokens;
  const at = tokens.findIndex((token) => isWord(token, "references"));
  const key = tokens.findLastIndex((token, index) => index < at && isWord(token, "foreign"));
  const isOwn = key >= 0 && tokens.slice(key, at).some((token) => isName(token) && token.value === column);
  return isOwn ? tokens.slice(0, at) : tokens.slice(at);
}

const isName = (token: Token | undefined): token is Token =>
  token?.kind === "name" || token?.kind === "quoted";
const isWord = (token: Token | undefined, value: string) => token?.kind === "name" && token.value === value;

/** The tokens of a statement, with those of dollar-quoted bodies in their place. */
function tokensOf(sql: string): Token[] {
  return tokenize(sql).flatMap((token) =>
    token.kind === "string" && sql[token.from] === "$" ? tokensOf(token.value) : [token],
  );
}

/** Those of the names that are tables or views of the project without the column: in the database, or in its files. */
async function tablesWithout(
  client: pg.ClientBase,
  names: readonly string[],
  column: string,
  files: readonly { path: string; sql: string }[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; lacks: boolean }>(
    `select c.relname as name, n.nspname !~ '${PLATFORM}' and not exists (
       select 1 from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = $2 and not a.attisdropped) as lacks
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.relname = any ($1) and c.relkind in ('r', 'v', 'm', 'p', 'f')`,
    [names, column],
  );
  const made = mentionsIn(files, ({ change, kind }) => change === "create" && kind === "column");
  return names.filter((name) => {
    const there = rows.filter((row) => row.name === name);
    return there.length > 0 ? there.some(({ lacks }) => lacks) : made.some(({ table }) => table === name);
  });
}

/** Schemas whose tables Supabase makes. */
const PLATFORM =
  "^(auth|storage|realtime|vault|extensions|graphql|graphql_public|cron|net|pgmq|pgsodium|information_schema|supabase_.*|pg_.*)$";
