/**
 * Owns linting migrations for statements that are harmful on a database in use: locking or rewriting a table,
 * losing data, opening rows to more people, a table without row security, a function without a search_path, a
 * foreign key without an index, a setting that hosted's PostgREST does not know. It reads the text, so dynamic SQL (`execute format(...)`) is not seen.
 */
import { HOSTED_VERSIONS } from "../../../src/config/hosted/hosted-versions.ts";
import type { Migration } from "../../../src/postgres/files/project-files.ts";
import { masked } from "../../../src/postgres/statements/lexer.ts";
import { firstWord, positionOf, splitStatements } from "../../../src/postgres/statements/split.ts";

export type Rule = "lock" | "destruction" | "access" | "row-security" | "search-path" | "index" | "version";

export interface Finding {
  rule: Rule;
  path: string;
  line: number;
  message: string;
}

export interface LintOptions {
  /** All migrations before and after it: another one may add what it lacks. */
  earlier: readonly Migration[];
  /** Schemas that the API exposes. */
  exposed?: readonly string[];
}

/** `-- lint: allow lock: the table has ten rows`, in the statement or in the comment before it. */
const ALLOWED = /--\s*lint:\s*allow\s+([a-z-]+):[ \t]*\S/g;

const NAME = '(?:"[^"]+"|[a-z_][\\w$]*)';
const TABLE = `((?:${NAME}\\.)?${NAME})`;
const word = (text: string) => new RegExp(`^${text.replaceAll(" ", "\\s+").replace("TABLE", TABLE)}`, "i");

const CREATE_TABLE = word(`create (?:unlogged )?table (?:if not exists )?TABLE`);
const CREATE_INDEX = new RegExp(
  `^create\\s+(?:unique\\s+)?index\\s+(concurrently\\s+)?(?:if\\s+not\\s+exists\\s+)?(?:${NAME}\\s+)?on\\s+(?:only\\s+)?${TABLE}\\s*(?:using\\s+\\w+\\s*)?\\(\\s*(${NAME})?`,
  "i",
);
const ALTER_TABLE = word(`alter table (?:if exists )?(?:only )?TABLE`);

/** Warnings about a migration before it is deployed. */
export function lintMigration(
  migration: Migration,
  { earlier, exposed = ["public"] }: LintOptions,
): Finding[] {
  const findings: Finding[] = [];
  const made = new Set<string>();
  const everything = earlier.flatMap(({ sql }) => statementsOf(sql).map(({ plain }) => plain));
  for (const { plain, text, offset } of statementsOf(migration.sql)) {
    const allowed = new Set([...text.matchAll(ALLOWED)].map(([, rule]) => rule));
    const found = (rule: Rule, message: string) => {
      if (allowed.has(rule)) return;
      findings.push({ rule, path: migration.path, line: positionOf(migration.sql, offset).line, message });
    };
    const created = CREATE_TABLE.exec(plain)?.[1];
    if (created !== undefined) {
      made.add(plainName(created));
      rowSecurity(created, everything, exposed, found);
    }
    locks(plain, made, found);
    destruction(plain, found);
    access(plain, everything, found);
    searchPath(plain, found);
    foreignKeys(plain, everything, found);
    version(text, found);
  }
  return findings;
}

type Found = (rule: Rule, message: string) => void;

function locks(plain: string, made: ReadonlySet<string>, found: Found): void {
  const index = CREATE_INDEX.exec(plain);
  if (index?.[2] !== undefined && !index[1] && !made.has(plainName(index[2]))) {
    found(
      "lock",
      `create index on ${index[2]} stops writes to it until it is built; use concurrently, in a file of its own, where the table is large.`,
    );
  }
  if (/^refresh\s+materialized\s+view\s+(?!concurrently)/i.test(plain)) {
    found("lock", "refresh materialized view stops reads of it; use concurrently.");
  }
  if (/^(vacuum\s+\(?full|cluster\b|lock\s)/i.test(plain)) found("lock", "It locks a whole table.");
  const table = ALTER_TABLE.exec(plain)?.[1];
  if (table === undefined || made.has(plainName(table))) return;
  for (const action of actionsOf(plain)) {
    if (/^alter\s+(column\s+)?\S+\s+(set\s+data\s+)?type\b/i.test(action)) {
      found("lock", `${table}: another type rewrites the table, and nobody reads or writes it meanwhile.`);
    } else if (/^alter\s+(column\s+)?\S+\s+set\s+not\s+null/i.test(action)) {
      found(
        "lock",
        `${table}: set not null reads the whole table under a lock; add a check (... is not null) not valid, validate it, then set it.`,
      );
    } else if (
      /^add\s+(constraint\s+\S+\s+)?(check|foreign\s+key)\b/i.test(action) &&
      !/not\s+valid/i.test(action)
    ) {
      found(
        "lock",
        `${table}: a constraint is checked for every row under a lock; add it not valid, and validate it in a later statement.`,
      );
    } else if (
      /^add\s+(constraint\s+\S+\s+)?(primary\s+key|unique|exclude)\b/i.test(action) &&
      !/using\s+index/i.test(action)
    ) {
      found(
        "lock",
        `${table}: its index is built under a lock; make it concurrently first, and add the constraint using it.`,
      );
    } else if (
      /^add\s+(column\s+)?/i.test(action) &&
      /\bdefault\s+(\S*random\S*|clock_timestamp|nextval|\S*uuid\S*)\s*\(/i.test(action)
    ) {
      found("lock", `${table}: a column with a volatile default rewrites the table.`);
    } else if (
      /^add\s+(?:column\s+)?(?!constraint)/i.test(action) &&
      /\bnot\s+null\b/i.test(action) &&
      !/\bdefault\b|\bgenerated\b/i.test(action)
    ) {
      found("lock", `${table}: a column that is not null and has no default fails where there are rows.`);
    }
  }
}

function destruction(plain: string, found: Found): void {
  const dropped = /^drop\s+(table|schema|materialized\s+view|type|sequence)\s+(?:if\s+exists\s+)?(\S+)/i.exec(
    plain,
  );
  if (dropped) found("destruction", `drop ${dropped[1]} ${dropped[2]}: what is in it is gone.`);
  if (/^truncate\b/i.test(plain)) found("destruction", "truncate removes every row.");
  if (/^delete\s+from\b/i.test(plain) && !/\bwhere\b/i.test(plain))
    found("destruction", "delete without where removes every row.");
  if (/^update\b/i.test(plain) && !/\bwhere\b/i.test(plain))
    found("destruction", "update without where changes every row.");
  const table = ALTER_TABLE.exec(plain)?.[1];
  if (table === undefined) return;
  for (const action of actionsOf(plain)) {
    const column =
      /^drop\s+(?:column\s+)?(?!constraint\b|default\b|not\b|expression\b|identity\b)(?:if\s+exists\s+)?(\S+)/i.exec(
        action,
      );
    if (column && !/^(constraint|default)$/i.test(column[1] ?? "")) {
      found(
        "destruction",
        `${table}: the column ${column[1]} is removed while the deployed code may still read it.`,
      );
    } else if (/^rename\b(?!\s+constraint)/i.test(action)) {
      found("destruction", `${table}: a new name breaks the code that is live until it is replaced.`);
    }
  }
}

const POLICY = new RegExp(
  `^(create|alter|drop)\\s+policy\\s+(?:if\\s+exists\\s+)?(${NAME})\\s+on\\s+${TABLE}`,
  "i",
);
const OPEN = /\b(?:using|check)\s*\(\s*true\s*\)/i;

/** What lets people read or write more than before. */
function access(plain: string, everything: readonly string[], found: Found): void {
  const table = ALTER_TABLE.exec(plain)?.[1];
  if (table !== undefined && /\b(disable|no\s+force)\s+row\s+level\s+security\b/i.test(plain))
    found("access", `${table}: without row level security its grants alone decide, for every row.`);
  const [, verb = "", name = "", on = ""] = POLICY.exec(plain) ?? [];
  const same = (text: string) => {
    const [, other, otherName = "", otherOn = ""] = POLICY.exec(text) ?? [];
    return (
      /create/i.test(other ?? "") &&
      unquoted(otherName) === unquoted(name) &&
      plainName(otherOn) === plainName(on)
    );
  };
  // One that is made anew is in the plan with its new text.
  if (/drop/i.test(verb) && everything.filter(same).length < 2)
    found(
      "access",
      `drop policy ${name} on ${on}: without it people read or write less, or more if it was restrictive.`,
    );
  if (/create|alter/i.test(verb) && OPEN.test(plain) && !/\bas\s+restrictive\b/i.test(plain)) {
    const to = /\bto\s+([\w",\s]+?)(?=\s+(?:using|with)\b)/i.exec(plain)?.[1] ?? "public";
    if (/\b(anon|public)\b/i.test(to))
      found("access", `policy ${name} on ${on} lets everybody in, signed out too: its condition is true.`);
  }
  const granted = /^grant\s+all\b(?:\s+privileges)?[\s\S]*\bon\b([\s\S]*)\bto\b([\s\S]*)$/i.exec(plain);
  if (granted && /\b(anon|public)\b/i.test((granted[2] ?? "").replaceAll('"', "")))
    found(
      "access",
      `grant all on${granted[1]}to${granted[2]}: who is signed out may write and truncate; grant what is needed.`,
    );
}

function rowSecurity(
  created: string,
  everything: readonly string[],
  exposed: readonly string[],
  found: Found,
): void {
  const [schema, name] = partsOf(created);
  if (!exposed.includes(schema)) return;
  const enabled = everything.some((plain) => {
    const table = /enable\s+row\s+level\s+security/i.test(plain) ? ALTER_TABLE.exec(plain)?.[1] : undefined;
    return table !== undefined && plainName(table) === `${schema}.${name}`;
  });
  if (!enabled) found("row-security", `${created} is served by the API and has no row level security.`);
}

function searchPath(plain: string, found: Found): void {
  const name = /^create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([^\s(]+)/i.exec(plain)?.[1];
  if (name === undefined || !/\bsecurity\s+definer\b/i.test(plain)) return;
  if (!/\bset\s+"?search_path"?\b/i.test(plain)) {
    found(
      "search-path",
      `${name} runs with its owner's rights and without a search_path: the caller chooses which objects its names refer to.`,
    );
  }
}

/** A referencing column is searched whenever a referenced row is deleted. */
function foreignKeys(plain: string, everything: readonly string[], found: Found): void {
  const table = (CREATE_TABLE.exec(plain) ?? ALTER_TABLE.exec(plain))?.[1];
  if (table === undefined) return;
  const body = CREATE_TABLE.test(plain) ? partsInParentheses(plain) : actionsOf(plain);
  for (const part of body) {
    const column =
      /foreign\s+key\s*\(\s*("[^"]+"|\w+)/i.exec(part)?.[1] ??
      (/\breferences\b/i.test(part) && !/^(constraint|foreign)\b/i.test(part)
        ? new RegExp(`^(?:add\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?)?(${NAME})\\s`, "i").exec(
            part,
          )?.[1]
        : undefined);
    if (column === undefined || /\b(primary\s+key|unique)\b/i.test(part)) continue;
    if (!isIndexed(plainName(table), unquoted(column), everything)) {
      found("index", `${table}.${unquoted(column)} refers to another table and no index begins with it.`);
    }
  }
}

function isIndexed(table: string, column: string, everything: readonly string[]): boolean {
  return everything.some((plain) => {
    const index = CREATE_INDEX.exec(plain);
    if (index?.[2] !== undefined) return plainName(index[2]) === table && unquoted(index[3] ?? "") === column;
    const created = CREATE_TABLE.exec(plain)?.[1];
    const altered = ALTER_TABLE.exec(plain)?.[1];
    const owner = created ?? altered;
    if (owner === undefined || plainName(owner) !== table) return false;
    const parts = created === undefined ? actionsOf(plain) : partsInParentheses(plain);
    return parts.some((part) => {
      const listed = /\b(?:primary\s+key|unique)\s*(?:nulls\s+not\s+distinct\s*)?\(\s*("[^"]+"|\w+)/i.exec(
        part,
      )?.[1];
      if (listed !== undefined) return unquoted(listed) === column;
      return (
        /\b(primary\s+key|unique)\b/i.test(part) &&
        unquoted(/^(?:add\s+(?:column\s+)?)?("[^"]+"|\w+)/i.exec(part)?.[1] ?? "") === column
      );
    });
  });
}

/** Settings, and a value, that came after the PostgREST of hosted projects. */
const LATER_SETTING =
  /^\s*alter\s+role\s[\s\S]*\bset\s+"?pgrst\.(client_error_verbosity|url_use_legacy_target_names|jwt_role_claim_key(?="?\s*(?:=|to)\s*'\$))/i;

function version(text: string, found: Found): void {
  const name = LATER_SETTING.exec(masked(text, ["comment"]))?.[1]?.toLowerCase();
  if (name === undefined) return;
  const what = name === "jwt_role_claim_key" ? "takes no JSONPath for" : "does not know";
  found("version", `hosted's PostgREST ${HOSTED_VERSIONS.rest.hosted.version} ${what} pgrst.${name}.`);
}

interface Plain {
  /** With the contents of strings, comments and bodies replaced by blanks. */
  plain: string;
  text: string;
  offset: number;
}

const statements = new Map<string, Plain[]>();

/** Parsed once for each file, because every migration is compared with all others. */
function statementsOf(sql: string): Plain[] {
  const known = statements.get(sql);
  if (known) return known;
  const read = splitStatements(sql).map((statement) => {
    const offset = firstWord(statement);
    return {
      text: statement.text,
      plain: masked(statement.text, ["comment", "string"]).slice(offset - statement.offset),
      offset,
    };
  });
  statements.set(sql, read);
  return read;
}

/** The actions of an ALTER TABLE, after the table's name. */
function actionsOf(plain: string): string[] {
  const head = ALTER_TABLE.exec(plain)?.[0];
  return head === undefined ? [] : splitAtCommas(plain.slice(head.length));
}

function partsInParentheses(plain: string): string[] {
  const from = plain.indexOf("(");
  return from < 0 ? [] : splitAtCommas(plain.slice(from + 1, plain.lastIndexOf(")")));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (text[at] === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

function partsOf(name: string): [schema: string, name: string] {
  const parts = name.split(".").map(unquoted);
  return parts.length > 1 ? [parts[0] ?? "", parts[1] ?? ""] : ["public", parts[0] ?? ""];
}

function plainName(name: string): string {
  return partsOf(name).join(".");
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
}
