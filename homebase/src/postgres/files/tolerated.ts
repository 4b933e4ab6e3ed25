/**
 * Owns the statements of dumps and of earlier times that hosted refuses role `postgres` today, or that have no effect
 * here, and without which the rest of a project works: they are passed over in its files, and the start says so
 * (docs/decisions/0021-powers-of-postgres.md).
 */
import { extensionEntry } from "../extensions/classes.ts";
import { quoteLiteral } from "../quoting.ts";
import { tokenize } from "../statements/lexer.ts";
import type { Replacement } from "./powers.ts";
import { serviceRows } from "./service-rows.ts";

/** Types that pgmq makes itself, which `db pull` writes beside it. */
const PGMQ_TYPE = /^create\s+type\s+"?pgmq"?\s*\./i;

/** A quick look, so that most statements need no reading. */
const CANDIDATE =
  /\b(supabase_realtime_messages_publication|owner\s+to|default\s+privileges|grant\s+option|on\s+all\s+(functions|procedures|routines)|security\s+label|schema\s+"?extensions"?|(auth|storage|realtime)\b|setval|extension|pgmq|foreign\s+schema|lz4|timescaledb\.|(create|alter)\s+(role|user))\b/i;

const NAME = String.raw`(?:"(?:[^"]|"")+"|[a-z_][\w$]*)`;
const SERVICE = String.raw`"?(?:supabase_\w+|pgsodium_\w+)"?`;

const OWNER = new RegExp(
  String.raw`^alter\s+(table|sequence|view|materialized\s+view|foreign\s+table|schema|function|procedure|aggregate|type|domain|publication|event\s+trigger)\s+((?:if\s+exists\s+)?(?:only\s+)?)(.+?)\s+owner\s+to\s+(${SERVICE})$`,
  "is",
);
const DEFAULTS = new RegExp(
  String.raw`^alter\s+default\s+privileges\s+for\s+(?:role|user)\s+${SERVICE}\s`,
  "i",
);
const ROLE = new RegExp(String.raw`^(?:create|alter)\s+(?:role|user)\s+${SERVICE}(?:\s|$)`, "i");
/** Rights on a service's table or function, and triggers that Storage makes itself: pulled from a project of another version. */
const SERVICE_RIGHTS =
  /^(?:grant|revoke)\s.+?\son\s+(?:table\s+|sequence\s+|function\s+)?"?(?:auth|storage|realtime)"?\s*\./is;
const SERVICE_TRIGGER =
  /^create\s+(?:or\s+replace\s+)?trigger\s.+?\son\s+"?storage"?\s*\..+\sexecute\s+(?:function|procedure)\s+"?storage"?\s*\./is;
/** Tables and indexes of another version of Storage. */
const STORAGE_OBJECT =
  /^(?:alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?"?storage"?\s*\.|create\s+(?:unique\s+)?index\s.+?\son\s+(?:only\s+)?"?storage"?\s*\.)/is;
/** A dump's data ends with the values of all sequences, those of the services and of extensions too. */
const SERVICE_SEQUENCE =
  /^select\s+(pg_catalog\.setval\s*\(\s*'"?(?:auth|graphql|pgsodium|realtime|storage|supabase_functions|cron|net)"?\..+)$/is;
const TO_POSTGRES = /^grant\s.+\sto\s+"?postgres"?\s+with\s+grant\s+option$/is;
const LABEL = /^security\s+label\s+for\s+"?pgsodium"?\s+on\s/i;
const DELETION =
  /^(?:delete\s+from|truncate(?:\s+table)?)\s+(?:only\s+)?"?storage"?\s*\.\s*"?(?:objects|buckets)"?(?:\s|$)/i;
const PG_NET = /^create\s+extension\s+"?pg_net"?(?:\s|$)/i;
/** Hosted's owner of the schema is `postgres`; here it may create and grant there, and has no more to gain. */
const OWNED_THERE =
  /^(?:alter\s+schema\s+"?extensions"?\s+owner\s+to\s+"?postgres"?|comment\s+on\s+schema\s+"?extensions"?\s+is\s.*)$/is;
/** The extension of CREATE or ALTER EXTENSION; another than Homebase knows may be pg_tle's, which has its own versions. */
const EXTENSION = /^\w+\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)/i;
const VERSION = new RegExp(
  String.raw`^(create\s+extension\s+.*?)\s+version\s+(?:'[^']*'|${NAME})(.*)$`,
  "is",
);
/** Realtime makes it with its first client, whatever a schema that was pulled from another project says of it. */
const MESSAGES_PUBLICATION =
  /^(?:create|alter|drop|comment\s+on)\s+publication\s+(?:if\s+exists\s+)?"?supabase_realtime_messages_publication"?(?:\s|$)/i;
/** The tables of a foreign server; one of an inert wrapper cannot say which it has. */
const IMPORT = /^import\s+foreign\s+schema\s/i;
/** Rights on all routines of schemas: its privileges, the schemas, and the rest from `to` or `from` on. */
const ALL_ROUTINES =
  /^((?:grant|revoke)\s.+?)\son\s+all\s+(functions|procedures|routines)\s+in\s+schema\s+(.+?)\s+((?:to|from)\s.+)$/is;
/** Extensions that the Supabase CLI's database and hosted projects were born with, and this one is not. */
const BROUGHT = /^(?:drop|alter)\s+extension\s+"?(?:pg_graphql|pg_net|pgjwt|pgsodium)"?(?:\s|$)/i;
const UPDATE = /^alter\s+extension\s+"?([\w-]+)"?\s+update(?:\s+to\s+(?:'([^']*)'|"?([\w.-]+)"?))?$/i;

/** Compression of a table, and a view that TimescaleDB keeps up to date: its head, and the rest. */
const COMPRESSED = /^alter\s+table\s.+?\sset\s*\(\s*timescaledb\.[^)]*\)$/is;
const CONTINUOUS =
  /^(create\s+materialized\s+view\s.+?)\s+with\s*\(\s*timescaledb\.[^,)]*(?:,\s*timescaledb\.[^,)]*)*\)\s*(as\s.+)$/is;

/** npm's Postgres is built without lz4. */
const LZ4_TABLE = /^(?:create\s+(?:unlogged\s+)?|alter\s+)table\s/i;

/**
 * What to run in the place of such a statement, or undefined where it is none.
 * @param statement with the comments before it.
 * @param words the same from its first word on.
 * @param options.strict whether what hosted refuses is refused here too. What the SQL passes over itself asks the
 * connection's setting `homebase.files` for that.
 */
export function tolerated(
  statement: string,
  words: string,
  { strict = false }: { strict?: boolean } = {},
): Replacement | undefined {
  if (!CANDIDATE.test(words)) return undefined;
  const text = words.trimEnd();
  if (MESSAGES_PUBLICATION.test(text)) return { sql: NOTHING };
  const owner = OWNER.exec(text);
  if (owner) return unlessRefused(text, ownedAlready(owner));
  if (DEFAULTS.test(text)) return unlessRefused(text);
  if (ROLE.test(text)) return unlessRefused(text, undefined, "duplicate_object or insufficient_privilege");
  if (TO_POSTGRES.test(text)) {
    // It holds them from the superuser already, and cannot grant them to itself.
    return { sql: block(text, "when invalid_grant_operation then null;") };
  }
  if (SERVICE_RIGHTS.test(text))
    return unlessRefused(text, undefined, "undefined_table or undefined_function");
  if (SERVICE_TRIGGER.test(text)) {
    return unlessRefused(text, undefined, "duplicate_object or undefined_table or undefined_function");
  }
  if (STORAGE_OBJECT.test(text)) {
    return unlessRefused(
      text,
      undefined,
      "undefined_table or undefined_object or undefined_column or duplicate_table or duplicate_object",
    );
  }
  if (PGMQ_TYPE.test(text)) return unlessRefused(text, undefined, "duplicate_object");
  const rows = serviceRows(text, warning(text, "; left out here"));
  if (rows !== undefined) return { sql: doBlock(rows) };
  const sequence = SERVICE_SEQUENCE.exec(text);
  if (sequence) {
    const handler = `when undefined_table or invalid_schema_name then perform extensions.refuse_or_warn(${firstLine(text)}, sqlerrm || '; left out here', '');`;
    return { sql: block(`perform ${sequence[1]}`, handler) };
  }
  if (LABEL.test(text)) return { sql: NOTHING, differs: NOT_ENCRYPTED };
  if (DELETION.test(text) && !strict) {
    const allow = (value: string) =>
      `select pg_catalog.set_config('storage.allow_delete_query', '${value}', true)`;
    return { sql: `${allow("true")}; ${statement}; ${allow("false")}`, differs: NO_DELETION };
  }
  const packed = LZ4_TABLE.test(text) ? withoutLz4(statement) : statement;
  if (packed !== statement) return { sql: packed, differs: NO_LZ4 };
  if (COMPRESSED.test(text))
    return { sql: block(text, `when invalid_parameter_value then ${NO_CHUNKS(text)}`) };
  const continuous = CONTINUOUS.exec(text);
  if (continuous) {
    const plain = `${continuous[1]} ${continuous[2]};`;
    return { sql: block(text, `when invalid_parameter_value then ${plain}\n${NO_CHUNKS(text)}`) };
  }
  const routines = ALL_ROUTINES.exec(text);
  if (routines) return { sql: block(text, `when insufficient_privilege then\n${oneByOne(routines)}`) };
  if (IMPORT.test(text))
    return { sql: block(text, `when object_not_in_prerequisite_state then ${NO_TABLES(text)}`) };
  // The Supabase CLI's database has it from the start, a hosted one has it not.
  if (PG_NET.test(text)) return { sql: block(text, "when duplicate_object then null;") };
  if (BROUGHT.test(text)) return unlessRefused(text, undefined, "undefined_object");
  if (OWNED_THERE.test(text)) return { sql: NOTHING };
  if (extensionEntry(EXTENSION.exec(text)?.[1]?.toLowerCase() ?? "") === undefined) return undefined;
  const version = VERSION.exec(text);
  if (version) return otherVersion(text, `${version[1]}${version[2]}`);
  const update = UPDATE.exec(text);
  if (update) return otherVersion(text, undefined, alreadyThere(update));
  return undefined;
}

const NOTHING = "do $$ begin end $$";
const NOT_ENCRYPTED =
  "pgsodium encrypts the column there. Here it is stored unencrypted, and its table has no decrypted view.";
const NO_LZ4 =
  "lz4 compresses the column there. This server is built without it: here it has the default compression.";
const NO_DELETION =
  "Direct deletion from storage tables is not allowed (42501); the Storage API deletes there.";

/** Hosted makes the tables: a warning in strict projects, too. */
const NO_TABLES = (text: string) =>
  `raise warning '%', 'The wrapper has no library here (' || sqlerrm || '): no foreign table is made' using errcode = '01H01', detail = ${firstLine(text)};`;

/** Hosted's edition has neither, with its library; a warning in strict projects, too. */
const NO_CHUNKS = (text: string) =>
  `raise warning '%', 'Hosted projects have the Apache edition of TimescaleDB, which refuses it. Here nothing is compressed, and a view stays as REFRESH MATERIALIZED VIEW left it.' using errcode = '01H01', detail = ${firstLine(text)};`;

function withoutLz4(statement: string): string {
  const words = tokenize(statement);
  return words.reduceRight((text, { value, from, to }, at) => {
    const chosen = value === "lz4" && words[at - 1]?.value === "compression";
    return chosen ? `${text.slice(0, from)}default${text.slice(to)}` : text;
  }, statement);
}

/** Runs it, unless hosted's answer is the server's here too; then the answer becomes a note. */
function unlessRefused(text: string, already?: string, conditions = "insufficient_privilege"): Replacement {
  const run = already ? `if ${already} is distinct from true then\n${text};\nend if` : text;
  return {
    sql: block(
      run,
      `when ${conditions} then perform extensions.refuse_or_warn(${firstLine(text)}, sqlerrm || '; left out here', '');`,
    ),
  };
}

/** Hosted takes a change to the present owner from anybody. */
function ownedAlready([, kind = "", , name = "", owner = ""]: RegExpExecArray): string | undefined {
  const role = `${quoteLiteral(owner.replaceAll('"', ""))}::regrole`;
  const object = quoteLiteral(name);
  if (/^schema$/i.test(kind)) {
    return `(select n.nspowner = ${role} from pg_catalog.pg_namespace n where n.oid = pg_catalog.to_regnamespace(${object}))`;
  }
  if (/table|sequence|view/i.test(kind)) {
    return `(select c.relowner = ${role} from pg_catalog.pg_class c where c.oid = pg_catalog.to_regclass(${object}))`;
  }
  if (/type|domain/i.test(kind)) {
    return `(select t.typowner = ${role} from pg_catalog.pg_type t where t.oid = pg_catalog.to_regtype(${object}))`;
  }
  return undefined;
}

/** Hosted updates an extension that `postgres` does not own, too; here each has one version. */
function alreadyThere([, name = "", text, word]: RegExpExecArray): string {
  const target = text ?? word;
  const installed = `(select e.extversion from pg_catalog.pg_extension e where e.extname = ${quoteLiteral(name.toLowerCase())})`;
  return target === undefined
    ? "when insufficient_privilege then null;"
    : `when insufficient_privilege then if ${quoteLiteral(target)} <> ${installed} then\nraise warning '%', 'Homebase has another version of the extension: ' || ${installed} using errcode = '01H01'; end if;`;
}

/** A version that is not here: the one that is serves, and the start names it. */
function otherVersion(text: string, without: string | undefined, otherwise = ""): Replacement {
  // Hosted may have it: this is a warning in strict projects, too.
  const note = `raise warning '%', 'Homebase has another version of the extension: ' || sqlerrm using errcode = '01H01', detail = ${firstLine(text)};`;
  return {
    sql: block(
      text,
      `when invalid_parameter_value then\n${without ? `${without};\n` : ""}${note}\n${otherwise}`,
    ),
  };
}

/**
 * A grant on all routines fails at one of an extension that `postgres` has no right on: the real extensions have
 * none of those, the stand-ins do. The others are granted one by one.
 */
function oneByOne([, head = "", kind = "", schemas = "", rest = ""]: RegExpExecArray): string {
  const kinds = { functions: "'f', 'a', 'w'", procedures: "'p'" }[kind.toLowerCase()] ?? "'f', 'a', 'w', 'p'";
  const named = schemas.split(",").map((schema) => `${quoteLiteral(schema.trim())}::regnamespace`);
  const values = [quoteLiteral(head), "routine", quoteLiteral(rest)];
  return `declare routine regprocedure; begin
for routine in select p.oid from pg_catalog.pg_proc p where p.pronamespace in (${named.join(", ")}) and p.prokind in (${kinds})
  and pg_catalog.has_function_privilege(p.oid, 'execute') loop
execute pg_catalog.format('%s on routine %s %s', ${values.join(", ")});
end loop; end;`;
}

function firstLine(text: string): string {
  return quoteLiteral(text.split("\n", 1)[0] ?? "");
}

function warning(text: string, what: string): string {
  return `perform extensions.refuse_or_warn(${firstLine(text)}, sqlerrm || ${quoteLiteral(what)}, '');`;
}

function block(text: string, handler: string): string {
  return doBlock(`begin\n${text};\nexception ${handler}\nend`);
}

function doBlock(code: string): string {
  let count = 0;
  while (code.includes(`$homebase${count}$`)) count += 1;
  const tag = `$homebase${count}$`;
  return `do ${tag} ${code} ${tag}`;
}
