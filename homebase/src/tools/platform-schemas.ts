/** Owns which schemas belong to the platform, for queries that look only at the project's. */

/** A condition on the name of a schema: true for the project's. */
export const NOT_PLATFORM = `!~ '^(pg_|information_schema$|auth$|storage$|storage_vectors$|realtime$|extensions$|graphql|vault$|pgsodium|supabase_|net$|cron$|pgbouncer$|pgmq$|homebase$|_)'`;
