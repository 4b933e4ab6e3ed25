/** Checks of who may see a row: how often Postgres plans them, and that a failure is one group's. */
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLog } from "../../src/core/log.ts";
import type { Group } from "../../src/realtime/changes/audience.ts";
import type { Relation } from "../../src/realtime/changes/replication/relation.ts";
import type { RowChange } from "../../src/realtime/changes/subscribers-view.ts";
import { type VisibilityQuery, visibleRows } from "../../src/realtime/changes/visibility.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const errors: string[] = [];
const log = createLog("realtime", ({ fields }) => errors.push(String(fields?.error)));
let client: pg.Client;

beforeAll(async () => {
  await backend.sql(
    `create table public.seen (id bigint primary key); insert into public.seen values (1), (2);
     alter table public.seen enable row level security; grant select on public.seen to anon, authenticated;
     create policy recursive on public.seen for select to anon using (exists (select 1 from public.seen));
     create policy first on public.seen for select to authenticated using (id = (auth.jwt() ->> 'row')::bigint)`,
  );
  client = new pg.Client({ ...backend.database.connection("postgres"), pipeline: true } as pg.ClientConfig);
  await client.connect();
});
afterAll(() => client.end());

const column = { name: "id", type: { sql: "bigint" }, position: 0, identity: true, primary: true };
const relation = { schema: "public", table: "seen", sql: "public.seen", columns: [column], primaryKey: [0] };
const group = (role: string, row: number): Group => ({ role, claims: JSON.stringify({ row }) });

/** The ids of the rows that each group sees. */
async function seen(groups: readonly Group[]): Promise<string[][]> {
  const change = (id: string) =>
    ({ relation: relation as unknown as Relation, next: [id], xid: 3 }) as RowChange;
  const questions = groups.flatMap((one) =>
    ["1", "2"].map((id): VisibilityQuery => ({ group: one, change: change(id) })),
  );
  const visible = await visibleRows(client, questions, [{ xid: 3 }], log);
  return groups.map((one) =>
    questions
      .filter((question) => question.group === one && visible.has(question))
      .map(({ change }) => String(change.next?.[0])),
  );
}

it("Postgres parses the check of a table once for each role", async () => {
  for (let round = 0; round < 3; round += 1) {
    expect(await seen([group("authenticated", 1), group("authenticated", 2)])).toEqual([["1"], ["2"]]);
  }
  const { rows } = await client.query(
    "select (generic_plans + custom_plans)::int as times from pg_prepared_statements where name like 'visible %'",
  );
  expect(rows).toEqual([{ times: 6 }]);
});

it("a policy that fails refuses its own groups, each with the policy's error", async () => {
  expect(await seen([group("anon", 1), group("authenticated", 2), group("anon", 2)])).toEqual([
    [],
    ["2"],
    [],
  ]);
  expect(errors).toHaveLength(2);
  for (const error of errors) expect(error).toContain("infinite recursion");
});
