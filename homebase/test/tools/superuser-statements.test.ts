/** Statements of a dump that take a superuser are written with another way for where they are refused, and no others. */
import { expect, test } from "vitest";
import { withOtherWay } from "../../src/tools/dump/superuser-statements.ts";

test("an event trigger has the refusal's other way, and what stands around it is unchanged", () => {
  const sql = `SET check_function_bodies = false;
CREATE TABLE "public"."notes" ("id" bigint);
-- of every table
CREATE EVENT TRIGGER "noted" ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION "public"."note"();
ALTER EVENT TRIGGER "noted" DISABLE;
`;
  expect(withOtherWay(sql)).toBe(`SET check_function_bodies = false;
CREATE TABLE "public"."notes" ("id" bigint);
DO $other_way$ BEGIN
-- of every table
CREATE EVENT TRIGGER "noted" ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION "public"."note"();
EXCEPTION WHEN insufficient_privilege THEN
IF to_regprocedure('extensions.create_event_trigger(text, text, text[], regprocedure)') IS NULL THEN RAISE; END IF;
PERFORM extensions.create_event_trigger('noted', 'ddl_command_end', array['CREATE TABLE']::text[], 'public.note()'::regprocedure);
END $other_way$;
ALTER EVENT TRIGGER "noted" DISABLE;
`);
});

test.each([
  `CREATE PUBLICATION "one" FOR TABLE "public"."notes";`,
  `CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ select 'create event trigger x on sql_drop execute function g()' $$;`,
  `ALTER ROLE "anon" SET statement_timeout TO '3s';`,
  `COMMENT ON TABLE "public"."notes" IS 'create publication x for all tables';`,
  `CREATE SERVER "elsewhere" FOREIGN DATA WRAPPER "plain";`,
])("unchanged: %s", (sql) => {
  expect(withOtherWay(sql)).toBe(sql);
});
