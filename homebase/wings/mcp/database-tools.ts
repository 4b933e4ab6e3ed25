/** Owns the tools about the database: its objects, its history, its advisors, and SQL. */
import { z } from "zod";
import type { Call } from "../../src/catalog/catalogue-endpoint.ts";
import { isDatabaseError, queryError } from "../../src/catalog/errors.ts";
import { extensionEndpoints } from "../../src/catalog/resources/extensions.ts";
import { tables } from "../../src/catalog/resources/relations.ts";
import { relationReaders } from "../../src/catalog/resources/tables.ts";
import type { Session } from "../../src/catalog/session.ts";
import { readHistory } from "../../src/postgres/files/migration-history.ts";
import { advise, hostedForm } from "../../src/tools/checks/advisors.ts";
import { SqlRefused } from "./sql-refused.ts";
import { ToolRefused, tool } from "./tool.ts";

const listTables = relationReaders(tables).list;
const nothing = z.object({});

/** A table as the database API lists it, as far as it is passed on. */
interface TableEntry {
  schema: string;
  name: string;
  rls_enabled: boolean;
  live_rows_estimate: number;
  comment: string | null;
  primary_keys: { name: string }[];
  relationships: {
    source_schema: string;
    source_table_name: string;
    source_column_name: string;
    target_table_schema: string;
    target_table_name: string;
    target_column_name: string;
  }[];
  columns?: Record<string, unknown>[];
}

export const databaseTools = [
  tool({
    name: "list_tables",
    title: "List tables",
    description:
      "Lists the tables of schemas with their estimated number of rows and whether row level security is on; with verbose also columns, primary keys and foreign keys.",
    feature: "database",
    input: z.object({
      schemas: z
        .array(z.string())
        .default(["public"])
        .describe("The schemas; public by default. An empty list means all."),
      verbose: z.boolean().default(false).describe("Also columns, primary keys and foreign keys."),
    }),
    data: true,
    run: async ({ schemas, verbose }, { readOnly, signal }) => {
      const query = {
        include_columns: String(verbose),
        ...(schemas.length > 0 ? { included_schemas: schemas.join(",") } : {}),
      };
      const found = await readOnly.tool(signal, (session) => listTables(callOf(session, query)));
      return { tables: (found as TableEntry[]).map((entry) => shortened(entry, verbose)) };
    },
  }),
  tool({
    name: "list_extensions",
    title: "List extensions",
    description:
      "Lists the extensions that the database can have, with the installed version of those that it has.",
    feature: "database",
    input: nothing,
    data: false,
    run: async (_, { readOnly, signal }) => ({
      extensions: await readOnly.tool(signal, (session) => extensionEndpoints.list(callOf(session, {}))),
    }),
  }),
  tool({
    name: "list_migrations",
    title: "List migrations",
    description: "Lists the migrations that are applied to the database.",
    feature: "database",
    input: nothing,
    data: true,
    run: async (_, { readOnly, signal }) => {
      const history = await readOnly.tool(signal, ({ client }) => readHistory(client));
      return {
        migrations: history.map(({ version, name }) => ({ version, ...(name === null ? {} : { name }) })),
      };
    },
  }),
  tool({
    name: "apply_migration",
    title: "Apply migration",
    description:
      "Not done here: a migration is a file. Write supabase/migrations/<14 digits of the time>_<name>.sql; the running stack applies it when it is saved, and list_migrations and get_logs show how that went.",
    feature: "database",
    input: z.object({ name: z.string(), query: z.string() }),
    data: false,
    run: async ({ name }) => {
      const version = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
      throw new ToolRefused(
        `Migrations are files of the project, so nothing was run. Write the SQL to supabase/migrations/${version}_${name.replace(/\W+/g, "_")}.sql: it is applied when the file is saved.`,
      );
    },
  }),
  tool({
    name: "execute_sql",
    title: "Execute SQL",
    description:
      "Runs one statement of SQL and returns its rows. It reads all tables, without row level security, and cannot write; password hashes, tokens and secrets of Auth and Vault are withheld, so name the columns of auth.users. To change the schema write a migration, for rows a seed, or use the API as a user would.",
    feature: "database",
    input: z.object({ query: z.string().describe("One statement.") }),
    data: true,
    run: async ({ query }, { readOnly, signal }) => {
      try {
        return await readOnly.rows(query, signal);
      } catch (error) {
        if (error instanceof SqlRefused) throw new ToolRefused(error.message);
        throw isDatabaseError(error) ? queryError(error, query) : error;
      }
    },
  }),
  tool({
    name: "get_advisors",
    title: "Get advisors",
    description:
      "Finds security or performance issues of the schema, such as tables of the API without row level security. Use it after changes of the schema.",
    feature: "debugging",
    input: z.object({ type: z.enum(["security", "performance"]) }),
    data: true,
    run: async ({ type }, { config, readOnly, signal }) => {
      const found = await readOnly.tool(signal, ({ client }) => advise(client, config.api.schemas));
      const wanted = found.filter(({ categories: [category] }) => category === type.toUpperCase());
      return { lints: wanted.map(hostedForm) };
    },
  }),
];

function callOf(session: Session, query: Record<string, string>): Call {
  return { session, id: "", body: undefined, query };
}

/** In the shape of Supabase's tool, which leaves out what costs a model more than it tells. */
function shortened(entry: TableEntry, verbose: boolean): Record<string, unknown> {
  const { schema, name, rls_enabled, live_rows_estimate, comment, primary_keys, relationships, columns } =
    entry;
  return {
    name: `${schema}.${name}`,
    rls_enabled,
    rows: live_rows_estimate,
    ...(comment === null ? {} : { comment }),
    ...(verbose
      ? {
          columns: columns?.map(shortColumn),
          primary_keys: primary_keys.map((key) => key.name),
          foreign_key_constraints: relationships.map((one) => ({
            source: [one.source_schema, one.source_table_name, one.source_column_name].join("."),
            target: [one.target_table_schema, one.target_table_name, one.target_column_name].join("."),
          })),
        }
      : {}),
  };
}

const OPTIONS = ["identity", "generated", "nullable", "updatable", "unique"];
const SHOWN = ["default_value", "identity_generation", "check", "comment"];

function shortColumn(column: Record<string, unknown>): Record<string, unknown> {
  const { name, data_type, format, enums } = column;
  return {
    name,
    data_type,
    format,
    options: OPTIONS.filter((option) => column[`is_${option}`] === true),
    ...Object.fromEntries(SHOWN.filter((key) => column[key] !== null).map((key) => [key, column[key]])),
    ...(Array.isArray(enums) && enums.length > 0 ? { enums } : {}),
  };
}
