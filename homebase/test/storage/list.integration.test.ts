/** Listing, versions 1 and 2: names, folders, order, pages; compared with a model for complex rules. */
import { beforeAll, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, answer, ask, must, refusal, storageBackend } from "./fixture.ts";

const KEYS = [
  "a.txt",
  "B.txt",
  "axb.txt",
  "Folder/a.txt",
  "folder/b.txt",
  "folder/deep/c.txt",
  "folder-x",
  "folder0",
  "empty/.emptyFolderPlaceholder",
  "single/only",
  "under_score/x",
  "underXscore/x",
  "dd//x",
  "z",
];

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
  await backend.sql(
    `insert into storage.objects (bucket_id, name, version, metadata, created_at, updated_at)
     select 'box', name, gen_random_uuid()::text, '{"size":1}',
       timestamptz '2026-01-01' + (n * 7 % 15) * interval '1 hour', timestamptz '2026-02-01' - n * interval '1 hour'
     from unnest($1::text[]) with ordinality as t(name, n)`,
    [KEYS],
  );
});

interface Listed {
  name: string;
  id: string | null;
  metadata: unknown;
  updated_at: string | null;
  created_at: string | null;
  last_accessed_at: string | null;
}

describe("version 1", () => {
  const list = async (json: object): Promise<Listed[]> =>
    (await (await ask(backend, "POST", "/object/list/box", { json })).json()) as Listed[];
  const names = async (json: object) => (await list(json)).map(({ name }) => name);

  test("interleaves folders by name, blind to case, merged where only case differs", async () => {
    expect(await names({ prefix: "" })).toEqual([
      "a.txt",
      "axb.txt",
      "B.txt",
      "dd",
      "empty",
      "folder-x",
      "Folder",
      "folder0",
      "single",
      "under_score",
      "underXscore",
      "z",
    ]);
    const down = await names({ prefix: "", sortBy: { column: "name", order: "desc" } });
    expect(down.map((name) => name.toLowerCase())).toEqual(
      (await names({ prefix: "" })).map((name) => name.toLowerCase()).reverse(),
    );
  });

  test("shows folders with nulls and no slash, objects with everything, in this order of keys", async () => {
    const [file] = await list({ prefix: "", search: "a.txt" });
    expect(Object.keys(file ?? {})).toEqual([
      "name",
      "id",
      "updated_at",
      "created_at",
      "last_accessed_at",
      "metadata",
    ]);
    expect(file?.created_at).toMatch(/Z$/);
    expect((await list({ prefix: "", search: "single" }))[0]).toEqual({
      name: "single",
      id: null,
      updated_at: null,
      created_at: null,
      last_accessed_at: null,
      metadata: null,
    });
  });

  test("completes the prefix with a slash and matches it in any case; names are relative to it", async () => {
    for (const prefix of ["folder", "folder/", "FOLDER"]) {
      expect(await names({ prefix })).toEqual(["a.txt", "b.txt", "deep"]);
    }
    expect(await names({ prefix: "folder/deep" })).toEqual(["c.txt"]);
    expect(await names({ prefix: "empty" })).toEqual([".emptyFolderPlaceholder"]);
    expect(await names({ prefix: "/folder" })).toEqual([]);
    expect(await names({ prefix: "dd/" })).toEqual([""]);
  });

  test("searches from the beginning of the rest, not within, without wildcards", async () => {
    expect(await names({ prefix: "", search: "AX" })).toEqual(["axb.txt"]);
    expect(await names({ prefix: "", search: "xb" })).toEqual([]);
    expect(await names({ prefix: "", search: "under_" })).toEqual(["under_score"]);
    expect(await names({ prefix: "", search: "Folder/a" })).toEqual(["Folder/a.txt"]);
    expect(await names({ prefix: "folder", search: "d" })).toEqual(["deep"]);
    const byTime = { sortBy: { column: "created_at", order: "asc" } };
    expect(await names({ prefix: "", search: "under_", ...byTime })).toEqual(["under_score"]);
    expect(await names({ prefix: "", search: "%", ...byTime })).toEqual([]);
  });

  test("pages add up to the whole, in both directions", async () => {
    for (const order of ["asc", "desc"]) {
      for (const column of ["name", "created_at", "updated_at", "last_accessed_at"]) {
        const sortBy = { column, order };
        const whole = await names({ prefix: "", sortBy });
        const pages: string[] = [];
        for (let offset = 0; offset < whole.length; offset += 5)
          pages.push(...(await names({ prefix: "", sortBy, limit: 5, offset })));
        expect(pages).toEqual(whole);
      }
    }
  });

  test("by time: folders first by name, not merged by case, then objects by the column", async () => {
    const rows = await list({ prefix: "", sortBy: { column: "updated_at", order: "desc" } });
    const folders = rows.filter(({ id }) => id === null).map(({ name }) => name);
    expect(rows.slice(0, folders.length).every(({ id }) => id === null)).toBe(true);
    expect(folders).toEqual(["under_score", "underXscore", "single", "folder", "empty", "dd", "Folder"]);
    expect(rows.slice(folders.length).map(({ name }) => name)).toEqual([
      "a.txt",
      "B.txt",
      "axb.txt",
      "folder-x",
      "folder0",
      "z",
    ]);
  });

  test("of a bucket that is not there is empty; of one that cannot be, refused", async () => {
    expect(await answer(ask(backend, "POST", "/object/list/nowhere", { json: { prefix: "" } }))).toEqual([
      200,
      "[]",
    ]);
    expect(await answer(ask(backend, "POST", "/object/list/%C3%A9", { json: { prefix: "" } }))).toEqual(
      refusal(400, "400", "Invalid Input", "Bucket name invalid", "InvalidBucketName"),
    );
  });

  test.each<[object, string]>([
    [{}, "body must have required property 'prefix'"],
    [{ prefix: "", limit: 0 }, "body/limit must be >= 1"],
    [{ prefix: "", sortBy: null }, "body/sortBy must be object"],
    [
      { prefix: "", sortBy: { column: "id" } },
      "body/sortBy/column must be equal to one of the allowed values",
    ],
  ])("refuses %j", async (json, message) => {
    expect(await answer(ask(backend, "POST", "/object/list/box", { json }))).toEqual(
      refusal(400, "400", "Error", message, "InvalidRequest"),
    );
  });
});

interface PageV2 {
  hasNext: boolean;
  nextCursor?: string;
  nextCursorKey?: string;
  folders: (Listed & { key: string })[];
  objects: (Listed & { key?: string })[];
}

describe("version 2", () => {
  const page = async (json: object): Promise<PageV2> =>
    (await (await ask(backend, "POST", "/object/list-v2/box", { json })).json()) as PageV2;
  const bytewise = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

  /** All entries of all pages, folders and objects in order. */
  async function all(json: { limit: number } & Record<string, unknown>) {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const one = await page({ ...json, ...(cursor ? { cursor } : {}) });
      pages.push([...one.folders, ...one.objects].map(({ name }) => name));
      expect(pages.at(-1)?.length).toBeGreaterThan(0);
      expect("nextCursor" in one).toBe(one.hasNext);
      cursor = one.nextCursor;
    } while (cursor);
    return pages;
  }

  test("lists whole keys in byte order, and says nothing of a next page when there is none", async () => {
    const whole = await page({});
    expect(Object.keys(whole)).toEqual(["hasNext", "folders", "objects"]);
    expect(whole.objects.map(({ name }) => name)).toEqual([...KEYS].sort(bytewise));
    expect(Object.keys(whole.objects[0] ?? {})).toEqual([
      "id",
      "name",
      "metadata",
      "updated_at",
      "created_at",
      "last_accessed_at",
    ]);
  });

  test("a delimiter gathers folders with their slash, keys are last segments", async () => {
    const { folders, objects } = await page({ with_delimiter: true, prefix: "folder" });
    expect(folders).toEqual([
      {
        key: "folder",
        name: "folder/",
        id: null,
        updated_at: null,
        created_at: null,
        metadata: null,
        last_accessed_at: null,
      },
    ]);
    expect(objects.map(({ key, name }) => [key, name])).toEqual([
      ["folder-x", "folder-x"],
      ["folder0", "folder0"],
    ]);
    expect((await page({ with_delimiter: true, prefix: "folder/" })).objects.map(({ key }) => key)).toEqual([
      "b.txt",
    ]);
  });

  test("the prefix is literal and case counts", async () => {
    expect((await page({ prefix: "under_" })).objects).toHaveLength(1);
    expect((await page({ prefix: "FOLDER" })).objects).toHaveLength(0);
    const time = { with_delimiter: true, prefix: "under_", sortBy: { column: "created_at", order: "asc" } };
    expect((await page(time)).folders.map(({ name }) => name)).toEqual(["under_score/"]);
  });

  const sorts = ["name", "created_at", "updated_at"].flatMap((column) =>
    ["asc", "desc"].flatMap((order) =>
      [true, false].map((with_delimiter) => ({ column, order, with_delimiter })),
    ),
  );
  test.each(sorts)(
    "pages of 1, 2 and 5 add up to the model's list: %j",
    async ({ column, order, with_delimiter }) => {
      const rows = await backend.sql<{ name: string; created_at: Date; updated_at: Date }>(
        "select name, created_at, updated_at from storage.objects where bucket_id = 'box'",
      );
      const entries = new Map<string, number>();
      for (const { name, created_at, updated_at } of rows) {
        const slash = with_delimiter ? name.indexOf("/") : -1;
        const entry = slash < 0 ? name : name.slice(0, slash + 1);
        const at = Number(slash < 0 && column === "updated_at" ? updated_at : created_at);
        entries.set(
          entry,
          Math.min(entries.get(entry) ?? Number.POSITIVE_INFINITY, column === "name" ? 0 : at),
        );
      }
      const sign = order === "asc" ? 1 : -1;
      const expected = [...entries]
        .sort((left, right) => sign * (left[1] - right[1] || bytewise(left[0], right[0])))
        .map(([name]) => name);
      for (const limit of [1, 2, 5]) {
        const pages = await all({ limit, with_delimiter, sortBy: { column, order } });
        const rebuilt: string[] = [];
        for (let from = 0; from < expected.length; from += limit)
          rebuilt.push(...expected.slice(from, from + limit).sort(bytewise));
        expect(pages.flatMap((names) => [...names].sort(bytewise))).toEqual(rebuilt);
      }
    },
  );

  test("the cursor is the real one's, and beats what is asked beside it", async () => {
    const first = await page({ limit: 2, sortBy: { column: "name", order: "desc" } });
    const cursor = first.nextCursor ?? "";
    expect(Buffer.from(cursor, "base64").toString()).toBe(`l:${first.nextCursorKey}\no:desc\nc:name`);
    const next = await page({ limit: 2, cursor, sortBy: { column: "created_at", order: "asc" } });
    expect(next.objects.map(({ name }) => name)).toEqual([...KEYS].sort(bytewise).reverse().slice(2, 4));
    const bare = Buffer.from("l:folder0").toString("base64");
    expect((await page({ cursor: bare, limit: 1 })).objects[0]?.name).toBe("single/only");
  });

  test("refuses a cursor that is none and a body that is none; a bucket that is none is empty", async () => {
    expect(await answer(ask(backend, "POST", "/object/list-v2/box", { json: { cursor: "x" } }))).toEqual(
      refusal(400, "400", "InvalidParameter", "Invalid Parameter continuation token", "InvalidParameter"),
    );
    expect((await answer(ask(backend, "POST", "/object/list-v2/box")))[1]).toContain("body must be object");
    expect(await answer(ask(backend, "POST", "/object/list-v2/nowhere", { json: {} }))).toEqual([
      200,
      '{"hasNext":false,"folders":[],"objects":[]}',
    ]);
  });

  test("through supabase-js", async () => {
    const data = must(await adminOf(backend).storage.from("box").listV2({ with_delimiter: true, limit: 3 }));
    expect([data.hasNext, data.folders.length + data.objects.length]).toEqual([true, 3]);
  });
});
