export default {
  dialect: "postgresql",
  schema: "./src/schema.ts",
  out: "./supabase/migrations",
  migrations: { prefix: "supabase" },
  entities: { roles: { provider: "supabase" } },
};
