/** Owns generating types from the database; TypeScript is the only language. */
import { readTypeCatalog } from "../typegen/typed-objects.ts";
import { typescriptTypes } from "../typegen/typescript.ts";
import type { Call, Endpoint } from "./catalogue-endpoint.ts";
import { MetaError } from "./errors.ts";

/** The types as text, the same as of `homebase gen types`. */
export async function typescript({ session, query }: Pick<Call, "session" | "query">): Promise<string> {
  const listed = (value: string | undefined) => value?.split(",").map((schema) => schema.trim());
  const included = listed(query.included_schemas);
  const excluded = listed(query.excluded_schemas) ?? [];
  const found = await session.rows<{ name: string }>(
    `select nspname as name from pg_namespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' order by nspname`,
  );
  const schemas = found
    .map(({ name }) => name)
    .filter((name) => (included ? included.includes(name) : !excluded.includes(name)));
  return typescriptTypes(await readTypeCatalog(session.client, schemas));
}

/** @param what what is not built, as a sentence. */
export function notBuilt(what: string): Endpoint {
  return async () => {
    throw new MetaError(501, what);
  };
}
