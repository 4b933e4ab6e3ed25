/** Upstream's suite `object`, copying, moving and deleting (supabase/storage, src/test). */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ask, userToken } from "../fixture.ts";
import { type Case, openUpstream, testCases } from "./fixture.ts";

const backend = await forThisFile(openUpstream());

const RLS = "check if RLS policies are respected:";
const infoOf = async (path: string) =>
  (await (await ask(backend, "GET", `/object/info/${path}`)).json()) as { metadata: unknown };

/** A row of a route that takes source and target in its body. */
const transfer = (route: "copy" | "move", from: string) => {
  const sent = (to: string, more: object = {}) => ({
    bucketId: "bucket2",
    sourceKey: `authenticated/${from}`,
    destinationKey: to,
    ...more,
  });
  const row = (
    title: string,
    who: Case["who"],
    status: number,
    to: string,
    more: object = {},
    answer?: unknown,
  ): Case => ({
    title,
    who,
    status,
    ask: `POST /object/${route}`,
    json: sent(to, more),
    ...(answer === undefined ? {} : { answer }),
  });
  return { sent, row };
};

describe("copy object", () => {
  const { sent, row } = transfer("copy", "casestudy.png");
  const copy = "authenticated/casestudy11.png";
  const elsewhere = { destinationBucket: "bucket3" };
  const keyed = (Key: string) => expect.objectContaining({ Key });
  testCases(
    () => backend,
    [
      row(
        `${RLS} authenticated user is able to copy authenticated resource`,
        "member",
        200,
        copy,
        {},
        keyed(`bucket2/${copy}`),
      ),
      row("can copy objects across buckets", "member", 200, copy, elsewhere, keyed(`bucket3/${copy}`)),
      row(
        "cannot copy objects across buckets when RLS dont allow it",
        "member",
        400,
        "somekey/a.png",
        elsewhere,
      ),
      row(
        `${RLS} anon user is not able to update authenticated resource`,
        "anon",
        400,
        "authenticated/b.png",
      ),
      row("user is not able to copy a resource without Auth header", "nobody", 400, "authenticated/b.png"),
      row("return 400 when copy from a non existent bucket", "member", 400, "authenticated/b.png", {
        bucketId: "notfound",
      }),
      row("return 400 when copying a non existent key", "member", 400, "authenticated/b.png", {
        sourceKey: "authenticated/x",
      }),
      row("copying by a source version id: there are no versions", "member", 501, "authenticated/b.png", {
        sourceVersionId: "does-not-exist",
      }),
    ],
  );

  test("can copy objects keeping their metadata, excluding it, and to itself overwriting it", async () => {
    const token = await userToken(backend);
    const copied = async (to: string, more: object, headers: Record<string, string> = {}) => {
      const answer = await ask(backend, "POST", "/object/copy", { json: sent(to, more), headers, token });
      return (await answer.json()) as { name: string; metadata: Record<string, unknown> };
    };
    for (const more of [{}, { copyMetadata: true }]) {
      const to = `authenticated/kept-${Object.keys(more).length}.png`;
      await copied(to, more);
      expect((await infoOf(`bucket2/${to}`)).metadata).toEqual({ test1: 1234 });
    }
    const kept = "authenticated/bare.png";
    await copied(kept, { copyMetadata: false });
    const row = `select user_metadata from storage.objects where name = '${kept}'`;
    expect(await backend.sql(row)).toEqual([{ user_metadata: null }]);
    const onto = await copied(
      kept,
      {
        sourceKey: kept,
        metadata: { cacheControl: "max-age=999", mimetype: "image/gif" },
        copyMetadata: false,
      },
      { "x-upsert": "true", "x-metadata": Buffer.from('{"newMetadata":"test1"}').toString("base64") },
    );
    expect([onto.name, onto.metadata]).toEqual([
      kept,
      expect.objectContaining({ cacheControl: "max-age=999", mimetype: "image/gif" }),
    ]);
    expect((await infoOf(`bucket2/${kept}`)).metadata).toEqual({ newMetadata: "test1" });
  });

  test("preserves omitted replaceable metadata fields for REST copies", async () => {
    const json = sent("authenticated/part.png", {
      metadata: { cacheControl: "max-age=999" },
      copyMetadata: false,
    });
    const answer = await ask(backend, "POST", "/object/copy", { json, token: await userToken(backend) });
    expect(await answer.json()).toMatchObject({
      metadata: { cacheControl: "max-age=999", mimetype: "image/png" },
    });
  });
});

describe("delete object", () => {
  const one = (title: string, who: Case["who"], status: number, path: string, answer?: unknown): Case => ({
    title,
    who,
    status,
    ask: `DELETE /object/${path}`,
    ...(answer === undefined ? {} : { answer }),
  });
  const many = (
    title: string,
    who: Case["who"],
    status: number,
    prefixes: unknown[],
    answer?: unknown,
  ): Case => ({
    ...one(title, who, status, "bucket2", answer),
    json: { prefixes },
  });
  const first = "bucket2/authenticated/delete1.png";
  const third = "authenticated/delete-multiple3.png";
  testCases(
    () => backend,
    [
      one(
        `${RLS} authenticated user is able to delete authenticated resource`,
        "member",
        200,
        "bucket2/authenticated/delete.png",
        {
          message: "Successfully deleted",
        },
      ),
      one(`${RLS} anon user is not able to delete authenticated resource`, "anon", 400, first),
      one("user is not able to delete a resource without Auth header", "nobody", 400, first),
      one(
        "return 400 when delete from a non existent bucket",
        "anon",
        400,
        "notfound/authenticated/delete1.png",
      ),
      one("return 400 when deleting a non existent key", "member", 400, "bucket2/authenticated/notfound.jpg"),
      one(
        "deleting an object by a version id: there are no versions",
        "member",
        501,
        `${first}?versionId=does-not-exist`,
      ),
      many(`${RLS} anon user is not able to delete authenticated resource`, "anon", 200, [third], []),
      many("user is not able to delete a resource without Auth header", "nobody", 400, [third]),
      {
        ...many("deleting from a non existent bucket", "anon", 200, [third], []),
        ask: "DELETE /object/notfound",
      },
      many("deleting a non existent key", "anon", 200, ["authenticated/delete-multiple5.png"], []),
      many(
        `${RLS} user has permission to delete only one of the objects`,
        "member",
        200,
        ["authenticated/delete-multiple7.png", "private/sadcat-upload3.png"],
        [expect.objectContaining({ name: "authenticated/delete-multiple7.png" })],
      ),
      many(
        "allows delete requests over the object request cap when hard limits are disabled",
        "member",
        200,
        Array.from({ length: 1_001 }, (_, at) => `authenticated/too-many-${at}`),
        [],
      ),
      many("bulk delete with {path, versionId} entries: refused as a whole", "member", 400, [
        "authenticated/delete1.png",
        { path: "authenticated/cat.jpg", versionId: "x" },
      ]),
    ],
  );

  test("what a version id or a refused entry named is still there", async () => {
    expect((await ask(backend, "GET", `/object/${first}`)).status).toBe(200);
  });

  test("authenticated user can bulk delete objects up to the request cap", async () => {
    const prefixes = Array.from({ length: 1_000 }, (_, at) => `authenticated/bulk/${at}`).sort();
    await backend.sql(
      `insert into storage.objects (bucket_id, name, version, metadata)
       select 'bucket2', 'authenticated/bulk/' || n, 'v' || n, '{"size": 1}' from generate_series(0, 999) n`,
    );
    const token = await userToken(backend);
    const answer = await ask(backend, "DELETE", "/object/bucket2", { json: { prefixes }, token });
    const rows = (await answer.json()) as { name: string }[];
    expect(rows.map(({ name }) => name).sort()).toEqual(prefixes);
  });
});

describe("move object", () => {
  const { row } = transfer("move", "move-orig-2.png");
  const target = "authenticated/b.png";
  testCases(
    () => backend,
    [
      row(
        `${RLS} authenticated user is able to move an authenticated object`,
        "member",
        200,
        "authenticated/move-new.png",
        {
          sourceKey: "authenticated/move-orig.png",
        },
      ),
      row("can move objects across buckets respecting RLS", "member", 200, "authenticated/move-new.png", {
        sourceKey: "authenticated/move-orig-4.png",
        destinationBucket: "bucket3",
      }),
      row("cannot move objects across buckets because RLS checks", "member", 400, "somekey/move-new.png", {
        sourceKey: "authenticated/move-orig-5.png",
        destinationBucket: "bucket3",
      }),
      row(`${RLS} anon user is not able to move an authenticated object`, "anon", 400, target),
      row("user is not able to move an object without auth header", "nobody", 400, target),
      row("user is not able to move an object in a non existent bucket", "member", 400, target, {
        bucketId: "notfound",
      }),
      row("user is not able to move an non existent object", "member", 400, target, {
        sourceKey: "authenticated/notfound",
      }),
      row("user is not able to move to an existing key", "member", 400, "authenticated/move-orig-3.png"),
      row("moving by a source version id: there are no versions", "member", 501, target, {
        sourceVersionId: "does-not-exist",
      }),
    ],
  );
});
