/** All rows of a table as a lens gets them, for a file: beside REST's own answers, in batches, and what ends them. */
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import type { ExportPart, Lens } from "../server/api.ts";
import { exportRows } from "../server/data/export.ts";
import type { Source } from "../server/owner-connections.ts";

/** More than the buffers of a stream take, so that one that nobody reads waits. */
const COUNT = 10_000;
const AUTHENTICATED: Lens = { kind: "role", role: "authenticated" };

const backend = await forThisFile(createBackend({ bare: true }));
const source: Source = { backend: backend.backend };

beforeAll(async () => {
  await backend.sql(`create table public.books (id int primary key, title text, pages int, secret text);
    insert into public.books select i, case when i % 3 = 0 then 't' || i % 7 when i % 3 = 1 then '' end, i, 'secret ' || i
      from generate_series(1, ${COUNT}) i;
    alter table public.books enable row level security;
    create policy long on public.books to authenticated using (pages > 100);
    create table public.loose (what text, long text);
    insert into public.loose values ('a', repeat('x', 5000)), ('b', null);
    alter table public.loose enable row level security;
    create policy a on public.loose using (what = 'a');
    revoke all on all tables in schema public from anon, authenticated;
    grant select (id, title, pages) on public.books to authenticated;
    grant select on public.loose to authenticated;
    notify pgrst, 'reload schema'`);
});

type Ask = Parameters<typeof exportRows>[1];
const opened = (ask: Partial<Ask> = {}, signal = new AbortController().signal) =>
  exportRows(
    source,
    { as: { kind: "postgres" }, table: { schema: "public", name: "books" }, where: "", ...ask },
    signal,
  );

async function partsOf(ask: Partial<Ask> = {}): Promise<ExportPart[]> {
  const lines = (await text(await opened(ask))).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as ExportPart);
}

describe("an export", () => {
  test("has each row of the filter once, in the asked order, as Postgres writes its values, and an end", async () => {
    const parts = await partsOf({ where: "pages>10", order: { column: "title", descending: true } });
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ last }) => last)).toEqual(parts.map((_, at) => at === parts.length - 1));
    expect(parts[0]?.columns).toEqual(["id", "title", "pages", "secret"]);
    const rows = await backend.sql(
      "select array[id::text, title, pages::text, secret] as row from public.books where pages > 10 order by title desc nulls last, id",
    );
    expect(parts.flatMap((part) => part.rows)).toEqual(rows.map(({ row }) => row));
  });

  test("has the rows that REST gives the lens, without the columns that it may not select, and looks in no such column", async () => {
    const parts = await partsOf({ as: AUTHENTICATED, where: "1" });
    const token = await backend.backend.keys.sign({
      role: "authenticated",
      exp: Math.floor(backend.clock.now() / 1000) + 600,
    });
    const answer = await fetch(`${backend.url}/rest/v1/books?select=id,title,pages&order=id`, {
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
    });
    const seen = ((await answer.json()) as { id: number; title: string | null; pages: number }[])
      .map(({ id, title, pages }) => [`${id}`, title, `${pages}`])
      .filter((row) => row.some((value) => value?.includes("1")));
    // REST ends at max_rows.
    expect(parts.flatMap(({ rows }) => rows).slice(0, seen.length)).toEqual(seen);
    expect(seen.length).toBeGreaterThan(100);
    expect(parts[0]?.columns).toEqual(["id", "title", "pages"]);
    const none = await partsOf({ as: AUTHENTICATED, where: "secret 7" });
    expect(none).toEqual([{ columns: ["id", "title", "pages"], rows: [], last: true }]);
  });

  test("of a table without a key has what the lens gets, with the whole of long values", async () => {
    const loose = { as: AUTHENTICATED, table: { schema: "public", name: "loose" } };
    expect((await partsOf(loose)).flatMap(({ rows }) => rows)).toEqual([["a", "x".repeat(5000)]]);
  });

  test("that the lens may not have is refused before its first line", async () => {
    await expect(opened({ as: { kind: "role", role: "anon" } })).rejects.toThrow(
      "anon may select no column of books.",
    );
    await expect(opened({ as: AUTHENTICATED, where: "secret=x" })).rejects.toThrow("permission denied");
    await expect(opened({ where: "colour=red" })).rejects.toThrow("books has no column colour.");
  });

  test("that nobody reads any more ends its statement and its transaction", async () => {
    const open = async () =>
      (
        await backend.sql(
          "select count(*)::int as count from pg_stat_activity where datname = current_database() and xact_start is not null and query like 'fetch %'",
        )
      )[0]?.count;
    const leaving = new AbortController();
    const stream = await opened({ as: AUTHENTICATED }, leaving.signal);
    await expect.poll(open).toBe(1);
    leaving.abort();
    await expect(text(stream)).rejects.toThrow();
    await expect.poll(open).toBe(0);
  });
});
