/** Transactions of the services: statements that each connection plans once. */
import { expect, test } from "vitest";
import { transact } from "../../src/postgres/transaction.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));

test("a table that changes under a prepared statement fails it once, and the connection goes", async () => {
  await backend.sql("create table public.things (id int); insert into public.things values (1)");
  const pool = backend.database.pool("supabase_auth_admin");
  await backend.sql("grant select on public.things to supabase_auth_admin");
  const read = () =>
    transact(pool, async (transaction) => [
      await transaction.rows("select * from public.things"),
      await transaction.rows("select pg_backend_pid() as pid"),
    ]);
  const [rows, connection] = await read();
  expect(rows).toEqual([{ id: 1 }]);
  expect((await read())[1]).toEqual(connection);
  await backend.sql("alter table public.things add column name text");
  await expect(read()).rejects.toThrow("cached plan must not change result type");
  const [after, another] = await read();
  expect(after).toEqual([{ id: 1, name: null }]);
  expect(another).not.toEqual(connection);
});
