/** Tests the isolated Backends that homebase-stack/testing creates. */
import { afterAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";

const backends: { drop(): Promise<void> }[] = [];
afterAll(() => Promise.all(backends.map((backend) => backend.drop())));

test("several isolated backends run at once and do not see each other's rows", async () => {
  const [first, second] = await Promise.all([createBackend({ bare: true }), createBackend({ bare: true })]);
  backends.push(first, second);
  await first.sql("create table public.notes (body text)");
  await first.sql("insert into public.notes values ('only here')");
  const seen = await second.sql("select to_regclass('public.notes') as notes");
  expect(seen).toEqual([{ notes: null }]);
  expect(first.url).not.toBe(second.url);
});

test("a cloned database belongs to role postgres, which is no superuser", async () => {
  const backend = await createBackend({ bare: true });
  backends.push(backend);
  const [row] = await backend.sql(
    `select pg_get_userbyid(datdba) as owner, current_user as "user",
            (select rolsuper from pg_roles where rolname = current_user) as super
     from pg_database where datname = current_database()`,
  );
  expect(row).toEqual({ owner: "postgres", user: "postgres", super: false });
});

test("a dropped backend leaves no database behind", async () => {
  const keeper = await createBackend({ bare: true });
  backends.push(keeper);
  const gone = await createBackend({ bare: true });
  const name = gone.database.name;
  await gone.drop();
  expect(await keeper.sql("select 1 from pg_database where datname = $1", [name])).toEqual([]);
});
