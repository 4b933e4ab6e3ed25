/**
 * Owns recognising statements in a project's files that need rights which hosted's `supautils` library gives
 * to role `postgres`, and replacing them by calls of functions in bootstrap/powers.sql
 * (docs/decisions/0021-powers-of-postgres.md). Other statements run unchanged, with the rights of `postgres`.
 */

import { quote, quoteLiteral } from "../quoting.ts";
import { type Token, tokenize } from "../statements/lexer.ts";
import { type Replacement, withPowersInBlock } from "./powers-in-blocks.ts";

export type { Replacement } from "./powers-in-blocks.ts";

/** The context in which a statement runs. */
export interface Place {
  /** The database's name, which is not `postgres` while a new database is built next to the current one. */
  database: string;
  /** Whether the project's roles may exist from an earlier database: roles belong to the whole server. */
  rolesMayExist: boolean;
  /** Whether statements that hosted rejects are rejected, instead of run with a warning. */
  strict?: boolean;
}

/** The replacement of a statement; undefined to run it unchanged. */
export function withPowers(statement: string, place: Place): Replacement | undefined {
  if (!CANDIDATE.test(statement)) return undefined;
  const tokens = tokenize(statement);
  if (tokens[0]?.value === "do")
    return withPowersInBlock(statement, tokens, (text) => withPowers(text, place));
  const ordinary = withoutReplication(statement, tokens);
  const here = place.database === NAME ? ordinary : inDatabase(ordinary, tokens, place.database);
  const reader = new Reader(here === statement ? tokens : tokenize(here));
  try {
    const replacement = replacementFor(reader, here, place);
    // Unchanged, Postgres rejects it, as hosted's does.
    if (replacement && !(place.strict && replacement.differs !== undefined)) return replacement;
    return here === statement ? undefined : { sql: here };
  } catch (error) {
    // For a statement that cannot be parsed, Postgres reports the error.
    if (error instanceof NotRecognised) return undefined;
    throw error;
  }
}

/** The database's name in every Supabase project. */
const NAME = "postgres";

/** A quick check, so that most statements need not be parsed. */
const CANDIDATE =
  /\b(event\s+trigger|publication|foreign\s+data\s+wrapper|comment\s+on\s+extension|database|(create|alter)\s+(role|user|group))\b/i;

/** A role's statement without the attribute, which no role of a project gets (bootstrap/roles.sql), nor may name. */
function withoutReplication(statement: string, tokens: readonly Token[]): string {
  const words = tokens.map((token) => (token.kind === "name" ? token.value : ""));
  if (!/^(create|alter)$/.test(words[0] ?? "") || !/^(role|user)$/.test(words[1] ?? "")) return statement;
  // The third word is the role's name.
  const found = tokens[words.findIndex((word, index) => index > 2 && /^(no)?replication$/.test(word))];
  if (found === undefined || words.includes("set")) return statement;
  return statement.slice(0, found.from) + statement.slice(found.to);
}

/** The statement with the current database's name in place of `database postgres`. */
function inDatabase(statement: string, tokens: readonly Token[], database: string): string {
  if (!/^(alter|comment|grant|revoke)$/.test(tokens[0]?.value ?? "")) return statement;
  const at = tokens.findIndex(({ kind, value }) => kind === "name" && value === "database");
  const named = tokens[at + 1];
  if (at < 0 || named?.value !== NAME || named.kind === "string") return statement;
  return statement.slice(0, named.from) + quote(database) + statement.slice(named.to);
}

function replacementFor(reader: Reader, statement: string, place: Place): Replacement | undefined {
  if (place.rolesMayExist && reader.takeAny("create", ["role", "user", "group"]))
    return createRole(reader, statement);
  if (reader.take("create", "event", "trigger")) return createEventTrigger(reader);
  if (reader.take("create", "publication")) return createPublication(reader, statement);
  if (reader.take("alter", "publication")) return alterPublication(reader);
  if (reader.take("create", "foreign", "data", "wrapper")) return createWrapper(reader);
  if (reader.take("comment", "on", "extension")) return commentOnExtension(reader);
  if (reader.take("alter", "database")) return setCustomParameter(reader, "database", place);
  if (reader.takeAny("alter", ["role", "user"])) return setCustomParameter(reader, "role", place);
  return undefined;
}

/** Creates a role, or gives an existing one the same attributes. */
function createRole(reader: Reader, statement: string): Replacement {
  const name = reader.name();
  const options = statement.slice(reader.position());
  const memberships = reader.seesLater("in", "role", "group", "user", "admin", "sysid");
  const otherwise = reader.atEnd() || memberships ? "null" : `alter role ${quote(name)} ${options}`;
  const tag = freeTag(statement);
  return {
    sql: `do ${tag} begin\n${statement};\nexception when duplicate_object or unique_violation then\n${otherwise};\nend ${tag}`,
  };
}

/** A dollar quote delimiter that does not occur in a text. */
function freeTag(text: string): string {
  for (let count = 0; ; count += 1) if (!text.includes(`$homebase${count}$`)) return `$homebase${count}$`;
}

function createEventTrigger(reader: Reader): Replacement {
  const name = reader.name();
  reader.expect("on");
  const event = reader.name();
  let tags: string[] | undefined;
  if (reader.take("when")) {
    reader.expect("tag");
    reader.expect("in");
    tags = reader.list(() => reader.string());
  }
  reader.expect("execute");
  if (!reader.take("function")) reader.expect("procedure");
  const called = reader.qualified();
  reader.expect("(");
  reader.expect(")");
  reader.end();
  const values = [quoteLiteral(name), quoteLiteral(event), tags ? array(tags) : "null"];
  return { sql: call("create_event_trigger", ...values, `${quoteLiteral(`${called}()`)}::regprocedure`) };
}

/** Only publications that need a superuser: of all tables, or of the tables of schemas. */
function createPublication(reader: Reader, statement: string): Replacement | undefined {
  const name = reader.name();
  if (!reader.take("for")) return undefined;
  if (reader.take("all", "tables")) {
    return { sql: call("create_publication", quoteLiteral(name), "null", withOptions(reader)) };
  }
  // Tables and schemas may come in either order; `postgres` adds the tables itself.
  const schemas: string[] = [];
  const tables: string[] = [];
  while (!reader.atEnd() && !reader.sees("with")) {
    const from = reader.position();
    if (reader.take("tables", "in", "schema")) {
      do schemas.push(schemaName(reader));
      while (!reader.sees(",", "table") && !reader.sees(",", "tables") && reader.take(","));
    } else {
      reader.expect("table");
      while (!reader.atEnd() && !reader.sees("with") && !reader.sees(",", "tables")) reader.skip();
      tables.push(statement.slice(from, reader.positionBefore()));
    }
    reader.take(",");
  }
  if (schemas.length === 0) return undefined;
  const made = call("create_publication", quoteLiteral(name), schemaArray(schemas), withOptions(reader));
  const added = tables.map((one) => `; alter publication ${quote(name)} add ${one}`);
  return { sql: made + added.join("") };
}

function alterPublication(reader: Reader): Replacement | undefined {
  const name = reader.name();
  const action = ["add", "set", "drop"].find((one) => reader.take(one));
  if (!action || !reader.take("tables", "in", "schema")) return undefined;
  const schemas = [schemaName(reader)];
  while (reader.take(",")) schemas.push(schemaName(reader));
  reader.end();
  return {
    sql: call("alter_publication_schemas", quoteLiteral(name), quoteLiteral(action), schemaArray(schemas)),
  };
}

function withOptions(reader: Reader): string {
  const options: string[] = [];
  if (reader.take("with")) {
    reader.list(() => {
      options.push(reader.name());
      options.push(reader.take("=") ? reader.value() : "true");
    });
  }
  reader.end();
  return array(options);
}

function createWrapper(reader: Reader): Replacement {
  const name = reader.name();
  const functions: Record<"handler" | "validator", string> = { handler: "null", validator: "null" };
  let options: string[] = [];
  while (!reader.atEnd()) {
    if (reader.take("no", "handler") || reader.take("no", "validator")) continue;
    if (reader.take("handler")) functions.handler = procedure(reader.qualified());
    else if (reader.take("validator")) functions.validator = procedure(reader.qualified());
    else {
      reader.expect("options");
      options = reader.list(() => [reader.name(), reader.string()]).flat();
    }
  }
  return {
    sql: call(
      "create_foreign_data_wrapper",
      quoteLiteral(name),
      functions.handler,
      functions.validator,
      array(options),
    ),
  };
}

function commentOnExtension(reader: Reader): Replacement {
  const name = reader.name();
  reader.expect("is");
  const comment = reader.take("null") ? "null" : quoteLiteral(reader.string());
  reader.end();
  return { sql: call("comment_on_extension", quoteLiteral(name), comment) };
}

const REFUSED_ON_HOSTED =
  "Hosted projects refuse to set a parameter of this name (permission denied to set parameter, 42501). Keep the value in Vault or in a table instead.";

/** `alter database … set "app.name" = …`: only names that Postgres does not know. */
function setCustomParameter(
  reader: Reader,
  kind: "database" | "role",
  { database }: Place,
): Replacement | undefined {
  const target = reader.name();
  const inDatabase = kind === "role" && reader.take("in", "database") ? reader.name() : undefined;
  // Another database's settings do not belong to this project.
  if ((kind === "database" ? target : (inDatabase ?? database)) !== database) return undefined;
  const reset = reader.take("reset");
  if (!reset && !reader.take("set")) return undefined;
  const parameter = reader.dotted();
  if (!parameter.includes(".") || SERVER_PARAMETERS.test(parameter)) return undefined;
  let value = "null";
  if (!reset) {
    if (!reader.take("to")) reader.expect("=");
    value = reader.take("default") ? "null" : quoteLiteral(reader.value());
  }
  reader.end();
  const role = kind === "role" ? `${quoteLiteral(quote(target))}::regrole` : "null";
  return {
    sql: call("set_custom_parameter", quoteLiteral(parameter), value, role, String(inDatabase !== undefined)),
    differs: REFUSED_ON_HOSTED,
  };
}

/** Prefixes that a library has registered: `postgres` may set those that it was granted. */
const SERVER_PARAMETERS =
  /^(pgrst|plpgsql|pgaudit|auto_explain|pg_stat_statements|pg_net|plan_filter|safeupdate|supautils|homebase|cron|pgsodium|hnsw|ivfflat|pg_trgm)\./i;

function call(name: string, ...values: string[]): string {
  return `select extensions.${name}(${values.join(", ")})`;
}

function array(values: readonly string[]): string {
  return `array[${values.map(quoteLiteral).join(", ")}]::text[]`;
}

/** `current_schema` stays a key word, which is resolved when the statement runs. */
function schemaArray(schemas: readonly string[]): string {
  return `array[${schemas.join(", ")}]::text[]`;
}

function schemaName(reader: Reader): string {
  return reader.take("current_schema") ? "current_schema()::text" : quoteLiteral(reader.name());
}

function procedure(name: string): string {
  return `${quoteLiteral(name)}::regproc`;
}

/** The statement's form is not supported here. */
class NotRecognised extends Error {}

/** Reads a statement's tokens from left to right. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Whether the next tokens are these key words and symbols. */
  sees(...words: string[]): boolean {
    return words.every((word, index) => {
      const token = this.#tokens[this.#at + index];
      return token?.value === word && (token.kind === "name" || token.kind === "symbol");
    });
  }

  /** Consumes these words if they are next. */
  take(...words: string[]): boolean {
    if (!this.sees(...words)) return false;
    this.#at += words.length;
    return true;
  }

  /** Consumes a word followed by one of several. */
  takeAny(first: string, others: readonly string[]): boolean {
    return others.some((other) => this.take(first, other));
  }

  /** Whether one of these key words occurs later. */
  seesLater(...words: string[]): boolean {
    return this.#tokens.slice(this.#at).some(({ kind, value }) => kind === "name" && words.includes(value));
  }

  expect(word: string): void {
    if (!this.take(word)) throw new NotRecognised();
  }

  /** An identifier, folded as Postgres does. */
  name(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "name" && token?.kind !== "quoted") throw new NotRecognised();
    this.#at += 1;
    return token.value;
  }

  /** Identifiers separated by dots, quoted where necessary, because errors show them. */
  qualified(): string {
    const parts = [this.name()];
    while (this.take(".")) parts.push(this.name());
    return parts.map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : quote(part))).join(".");
  }

  /** A parameter's name: `app.x`, or quoted as a whole. */
  dotted(): string {
    const parts = [this.name()];
    while (this.take(".")) parts.push(this.name());
    return parts.join(".");
  }

  string(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "string") throw new NotRecognised();
    this.#at += 1;
    return token.value;
  }

  /** A string, a word or a number. */
  value(): string {
    const sign = this.take("-") ? "-" : "";
    const token = this.#tokens[this.#at];
    if (token === undefined || (token.kind === "symbol" && !/^[0-9]/.test(token.value)))
      throw new NotRecognised();
    this.#at += 1;
    return sign + token.value;
  }

  /** A list in parentheses. */
  list<T>(entry: () => T): T[] {
    this.expect("(");
    const entries = [entry()];
    while (this.take(",")) entries.push(entry());
    this.expect(")");
    return entries;
  }

  /** Consumes one token, including a group in parentheses. */
  skip(): void {
    let depth = 0;
    do {
      if (this.sees("(")) depth += 1;
      if (this.sees(")")) depth -= 1;
      if (this.atEnd()) throw new NotRecognised();
      this.#at += 1;
    } while (depth > 0);
  }

  atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  end(): void {
    if (!this.atEnd()) throw new NotRecognised();
  }

  /** Where the next token begins. */
  position(): number {
    return this.#tokens[this.#at]?.from ?? 0;
  }

  /** Where the previous token ends. */
  positionBefore(): number {
    return this.#tokens[this.#at - 1]?.to ?? 0;
  }
}
