/** The policies that each operation needs: the whole matrix, with each policy added alone. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  BUCKET_NOT_FOUND,
  DUPLICATE,
  must,
  OBJECT_NOT_FOUND,
  RLS,
  refusal,
  storageBackend,
  userToken,
} from "./fixture.ts";

const PERSON = "7f2c1f5e-0c7c-4f3a-9a8e-111111111111";

const backend = await forThisFile(storageBackend());
const token = await userToken(backend, PERSON);
beforeAll(async () => {
  must(await adminOf(backend).storage.createBucket("box", { public: false }));
});

type Verb = "select" | "insert" | "update" | "delete";

/** Gives role authenticated exactly these policies on a table of storage. */
async function allow(verbs: Verb[], table = "objects", condition = "true"): Promise<void> {
  await backend.sql(
    `do $$ declare one record; begin
       for one in select policyname, tablename from pg_policies where schemaname = 'storage' loop
         execute format('drop policy %I on storage.%I', one.policyname, one.tablename);
       end loop; end $$`,
  );
  for (const verb of verbs) {
    const clause = verb === "insert" ? `with check (${condition})` : `using (${condition})`;
    await backend.sql(`create policy "${verb}" on storage.${table} for ${verb} to authenticated ${clause}`);
  }
}

const put = (key: string, headers: Record<string, string> = {}, method = "POST") =>
  answer(ask(backend, method, `/object/box/${key}`, { token, headers, body: "x" }));
const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  answer(ask(backend, "POST", path, { token, json, headers }));
const UPSERT = { "x-upsert": "true" };
const SUBSETS: Verb[][] = [
  [],
  ["insert"],
  ["select"],
  ["select", "insert"],
  ["insert", "update"],
  ["select", "update"],
  ["select", "insert", "update"],
];

beforeEach(async () => {
  const { storage } = adminOf(backend);
  must(await storage.emptyBucket("box"));
  must(await storage.from("box").upload("there", "x"));
});

describe.each(SUBSETS.map((verbs) => [verbs.join("+") || "nothing", verbs] as const))(
  "with %s",
  (_name, verbs) => {
    beforeEach(() => allow(verbs));
    const has = (...needed: Verb[]) => needed.every((verb) => verbs.includes(verb));

    test("a new upload needs insert alone", async () => {
      const [status, text] = await put("new");
      if (has("insert")) expect([status, text]).toEqual([200, expect.stringContaining('"Key":"box/new"')]);
      else expect([status, text]).toEqual(RLS);
      expect(await put("there")).toEqual(has("insert") ? DUPLICATE : RLS);
    });

    test("replacing what is absent needs insert and select, what is there update too", async () => {
      expect((await put("absent1", UPSERT))[0]).toBe(has("insert", "select") ? 200 : 400);
      expect((await put("absent2", {}, "PUT"))[0]).toBe(has("insert", "select") ? 200 : 400);
      const present = await put("there", UPSERT);
      if (has("insert", "select", "update")) expect(present[0]).toBe(200);
      else expect(present).toEqual(RLS);
    });

    test("signing an upload needs what the upload needs; using it nothing", async () => {
      const [status, text] = await answer(ask(backend, "POST", "/object/upload/sign/box/signed", { token }));
      if (!has("insert")) return expect([status, text]).toEqual(RLS);
      const { url } = JSON.parse(text) as { url: string };
      await allow([]);
      expect((await answer(ask(backend, "PUT", url, { token: null, body: "x" })))[0]).toBe(200);
    });

    test("reading, its head, information and signing need select", async () => {
      const read = await answer(ask(backend, "GET", "/object/box/there", { token }));
      expect(read).toEqual(has("select") ? [200, "x"] : OBJECT_NOT_FOUND);
      expect((await ask(backend, "HEAD", "/object/box/there", { token })).status).toBe(
        has("select") ? 200 : 400,
      );
      expect((await ask(backend, "GET", "/object/info/box/there", { token })).status).toBe(
        has("select") ? 200 : 400,
      );
      const signed = await post("/object/sign/box/there", { expiresIn: 9 });
      if (has("select")) expect(signed[0]).toBe(200);
      else expect(signed).toEqual(OBJECT_NOT_FOUND);
    });

    test("lists show only what select shows", async () => {
      expect(JSON.parse((await post("/object/list/box", { prefix: "" }))[1])).toHaveLength(
        has("select") ? 1 : 0,
      );
      const { objects } = JSON.parse((await post("/object/list-v2/box", {}))[1]) as { objects: unknown[] };
      expect(objects).toHaveLength(has("select") ? 1 : 0);
    });

    test("copying needs select of the source and what writing the target needs", async () => {
      const names = { bucketId: "box", sourceKey: "there", destinationKey: "copy" };
      const copied = await post("/object/copy", names);
      if (!has("select")) expect(copied).toEqual(OBJECT_NOT_FOUND);
      else if (!has("insert")) expect(copied).toEqual(RLS);
      else expect(copied[0]).toBe(200);
      if (has("select", "insert"))
        expect((await post("/object/copy", names, UPSERT))[0]).toBe(has("update") ? 200 : 400);
    });

    test("moving needs select and update", async () => {
      const moved = await post("/object/move", {
        bucketId: "box",
        sourceKey: "there",
        destinationKey: "moved",
      });
      expect(moved).toEqual(
        has("select", "update") ? [200, '{"message":"Successfully moved"}'] : OBJECT_NOT_FOUND,
      );
    });
  },
);

describe("removing", () => {
  const remove = () => answer(ask(backend, "DELETE", "/object/box/there", { token }));
  const removeMany = async () =>
    JSON.parse(
      (await answer(ask(backend, "DELETE", "/object/box", { token, json: { prefixes: ["there"] } })))[1],
    ) as unknown[];
  const denied = refusal(400, "403", "Unauthorized", "Access denied", "AccessDenied");

  test.each<[Verb[]]>([[[]], [["select"]], [["delete"]]])(
    "with %j one is denied, many are nothing",
    async (verbs) => {
      await allow(verbs);
      expect(await remove()).toEqual(denied);
      expect(await removeMany()).toEqual([]);
    },
  );

  test("with select and delete it is removed", async () => {
    await allow(["select", "delete"]);
    expect(await removeMany()).toHaveLength(1);
    expect(await remove()).toEqual(OBJECT_NOT_FOUND);
    must(await adminOf(backend).storage.from("box").upload("there", "x"));
    expect(await remove()).toEqual([200, '{"message":"Successfully deleted"}']);
  });
});

describe("buckets", () => {
  const create = (name: string) => post("/bucket", { name });
  test("making needs insert, reading select, changing and removing these two and their own", async () => {
    expect(await create("b")).toEqual(RLS);
    await allow(["insert"], "buckets");
    expect((await create("b"))[0]).toBe(200);
    const show = () => answer(ask(backend, "GET", "/bucket/b", { token }));
    const change = () => answer(ask(backend, "PUT", "/bucket/b", { token, json: { public: true } }));
    const remove = () => answer(ask(backend, "DELETE", "/bucket/b", { token }));
    for (const call of [show, change, remove]) expect(await call()).toEqual(BUCKET_NOT_FOUND);
    await allow(["select"], "buckets");
    expect((await show())[0]).toBe(200);
    for (const call of [change, remove]) expect(await call()).toEqual(BUCKET_NOT_FOUND);
    await allow(["select", "update", "delete"], "buckets");
    for (const call of [change, remove]) expect((await call())[0]).toBe(200);
  });

  test("the maker owns it", async () => {
    await allow(["insert"], "buckets");
    await create("owned");
    expect(await backend.sql("select owner, owner_id from storage.buckets where id = 'owned'")).toEqual([
      { owner: PERSON, owner_id: PERSON },
    ]);
  });
});

describe("what policies see", () => {
  test("the type and declared length of an upload, and the operation", async () => {
    await allow(
      ["insert"],
      "objects",
      "metadata->>'mimetype' = 'text/plain' and (metadata->>'contentLength')::int <= 3 and storage.allow_only_operation('object.upload')",
    );
    const send = (body: string, type: string) =>
      answer(ask(backend, "POST", `/object/box/${body}`, { token, body, headers: { "content-type": type } }));
    expect((await send("abc", "text/plain"))[0]).toBe(200);
    expect(await send("abcd", "text/plain")).toEqual(RLS);
    expect(await send("ab", "text/html")).toEqual(RLS);
  });

  test("who calls: folder and owner rules as Supabase documents them", async () => {
    await allow(["insert", "select"], "objects", "(storage.foldername(name))[1] = auth.uid()::text");
    expect((await put(`${PERSON}/mine.txt`))[0]).toBe(200);
    expect(await put("other/mine.txt")).toEqual(RLS);
    expect(
      await backend.sql("select owner, owner_id from storage.objects where name like '%mine.txt'"),
    ).toEqual([{ owner: PERSON, owner_id: PERSON }]);
  });

  test("errors inside a policy come out as the catalogue has them", async () => {
    await allow(["insert"], "objects", "auth.uid() is not null");
    const odd = await userToken(backend, "not-a-uuid");
    expect((await answer(ask(backend, "POST", "/object/box/x", { token: odd, body: "x" })))[1]).toMatch(
      /"statusCode":"400","error":"InvalidParameter","message":"invalid input syntax for type uuid/,
    );
    await allow(["insert"], "objects", "1 / (length(name) - length(name)) = 1");
    expect(await put("x")).toEqual(
      refusal(500, "500", "DatabaseError", "database error, code: 22012", "DatabaseError"),
    );
    await allow([]);
    const stranger = await backend.backend.keys.sign({ role: "nobody_here" });
    expect(
      (await answer(ask(backend, "POST", "/object/box/x", { token: stranger, body: "x" })))[1],
    ).toContain('"error":"Unauthorized","message":"role \\"nobody_here\\" does not exist"');
  });
});
