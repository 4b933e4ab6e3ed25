/** Buckets: creating, reading, listing, updating, emptying, deleting, and the errors. */
import { describe, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  BUCKET_NOT_FOUND,
  clientOf,
  must,
  refusal,
  storageBackend,
} from "./fixture.ts";

const backend = await forThisFile(storageBackend({ vector: { enabled: false } }));

const bucket = (body: unknown) => answer(ask(backend, "POST", "/bucket", { json: body }));

describe("health", () => {
  test("status is empty, version is text, health needs a token", async () => {
    expect(await answer(ask(backend, "GET", "/status", { token: null }))).toEqual([200, ""]);
    const version = await ask(backend, "GET", "/version", { token: null });
    expect(version.headers.get("content-type")).toBe("text/plain");
    expect(await version.text()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await answer(ask(backend, "GET", "/health"))).toEqual([200, '{"healthy":true}']);
    expect((await ask(backend, "GET", "/health", { token: "x.y" })).status).toBe(400);
  });
});

describe("making a bucket", () => {
  test("answers the name; the id defaults to it", async () => {
    expect(await bucket({ name: "plain" })).toEqual([200, '{"name":"plain"}']);
    const got = await ask(backend, "GET", "/bucket/plain");
    expect(got.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const shown = (await got.json()) as Record<string, unknown>;
    expect(Object.keys(shown)).toEqual([
      "id",
      "name",
      "owner",
      "public",
      "file_size_limit",
      "allowed_mime_types",
      "created_at",
      "updated_at",
    ]);
    expect(shown).toMatchObject({ id: "plain", owner: "", public: false, file_size_limit: null });
    expect(shown.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("through supabase-js with limits in words and types", async () => {
    const client = adminOf(backend);
    must(
      await client.storage.createBucket("limited", {
        public: true,
        fileSizeLimit: "1.5kb",
        allowedMimeTypes: ["image/*", "", "text/plain; charset=utf-8"],
      }),
    );
    expect(must(await client.storage.getBucket("limited"))).toMatchObject({
      public: true,
      file_size_limit: 1500,
      allowed_mime_types: ["image/*", "text/plain; charset=utf-8"],
    });
  });

  test("of a taken id or name is a duplicate", async () => {
    await bucket({ name: "taken" });
    const duplicate = refusal(400, "409", "Duplicate", "The resource already exists", "BucketAlreadyExists");
    expect(await bucket({ name: "taken" })).toEqual(duplicate);
    expect(await bucket({ name: "taken", id: "other" })).toEqual(duplicate);
  });

  test.each([["é"], ["a/b"], [" lead"], ["trail "], ["x".repeat(101)], [""], ["data--table-s3"]])(
    "of the name %j is refused",
    async (name) => {
      expect(await bucket({ name })).toEqual(
        refusal(400, "400", "Invalid Input", "Bucket name invalid", "InvalidBucketName"),
      );
    },
  );

  test("with a limit above the project's, an unknown unit, or a type that is none is refused", async () => {
    expect((await bucket({ name: "b1", file_size_limit: "1gb" }))[1]).toContain('"statusCode":"413"');
    expect((await bucket({ name: "b1", file_size_limit: "5MiB" }))[1]).toContain('"error":"Error"');
    expect(await bucket({ name: "b1", allowed_mime_types: ["nonsense"] })).toEqual(
      refusal(400, "415", "invalid_mime_type", "mime type nonsense is not supported", "InvalidMimeType"),
    );
    expect((await bucket({ name: "b1", type: "ANALYTICS" }))[1]).toContain('"code":"FeatureNotEnabled"');
  });

  test.each<[string, unknown, string]>([
    ["no name", {}, "body must have required property 'name'"],
    ["a list", [], "body must be object"],
  ])("with %s is refused in the validator's words", async (_what, body, message) => {
    expect(await bucket(body)).toEqual(refusal(400, "400", "Error", message, "InvalidRequest"));
  });

  test("from broken or missing JSON is refused in the parser's words", async () => {
    const headers = { "content-type": "application/json" };
    expect(await answer(ask(backend, "POST", "/bucket", { headers, body: "{" }))).toEqual(
      refusal(
        400,
        "400",
        "FastifyError",
        "Body is not valid JSON but content-type is set to 'application/json'",
        "InvalidRequest",
      ),
    );
    expect((await answer(ask(backend, "POST", "/bucket", { headers, body: "" })))[1]).toContain(
      "Body cannot be empty when content-type is set to 'application/json'",
    );
  });

  test("without a token, or with a bad one, is refused", async () => {
    expect(await answer(ask(backend, "GET", "/bucket", { token: null }))).toEqual(
      refusal(400, "400", "Error", "headers must have required property 'authorization'", "InvalidRequest"),
    );
    const denied = (message: string) => refusal(400, "403", "Unauthorized", message, "AccessDenied");
    expect(await answer(ask(backend, "GET", "/bucket", { token: "nonsense" }))).toEqual(
      denied("Invalid Compact JWS"),
    );
    const forged = `${backend.serviceRoleKey.slice(0, -4)}AAAA`;
    expect(await answer(ask(backend, "GET", "/bucket", { token: forged }))).toEqual(
      denied("signature verification failed"),
    );
    const old = await backend.backend.keys.sign({ role: "service_role", exp: 1 });
    expect(await answer(ask(backend, "GET", "/bucket", { token: old }))).toEqual(
      denied('"exp" claim timestamp check failed'),
    );
    const timeless = await backend.backend.keys.sign({ role: "service_role", exp: "never" });
    expect(await answer(ask(backend, "GET", "/bucket", { token: timeless }))).toEqual(
      denied('"exp" claim must be a number'),
    );
  });
});

describe("listing buckets", () => {
  test("shows the type, pages, sorts and searches without wildcards", async () => {
    for (const name of ["list-a", "list-b", "LIST-C", "list_d"]) await bucket({ name });
    const list = async (query: string) =>
      (
        (await (await ask(backend, "GET", `/bucket${query}`)).json()) as { name: string; type?: string }[]
      ).map(({ name }) => name);
    expect(await list("?search=list-&sortColumn=name&sortOrder=desc")).toEqual([
      "list-b",
      "list-a",
      "LIST-C",
    ]);
    expect(await list("?search=list&sortColumn=name&limit=2&offset=1")).toEqual(["list-a", "list-b"]);
    expect(await list("?search=%25")).toEqual([]);
    expect(await list("?search=t_")).toEqual(["list_d"]);
    expect(must(await adminOf(backend).storage.listBuckets())[0]).toMatchObject({ type: "STANDARD" });
    expect((await answer(ask(backend, "GET", "/bucket?limit=0")))[1]).toContain(
      "querystring/limit must be >= 1",
    );
    expect((await ask(backend, "GET", "/bucket/")).status).toBe(200);
    const nowhere = await ask(backend, "GET", "/bucket/x/");
    expect(nowhere.headers.get("content-type")).toBe("application/json");
    expect(await answer(nowhere)).toEqual(
      refusal(404, "404", "Not Found", "Route GET:/bucket/x/ not found", "InvalidRequest"),
    );
  });

  test("hides everything from callers without a policy", async () => {
    expect(must(await clientOf(backend).storage.listBuckets())).toEqual([]);
    expect(await answer(ask(backend, "GET", "/bucket/plain", { token: backend.anonKey }))).toEqual(
      BUCKET_NOT_FOUND,
    );
  });
});

describe("changing a bucket", () => {
  test("replaces what is given, clears by null, and leaves updated_at", async () => {
    await bucket({ name: "change", file_size_limit: 10, allowed_mime_types: ["a/b"] });
    const read = async () =>
      (await (await ask(backend, "GET", "/bucket/change")).json()) as Record<string, unknown>;
    const before = await read();
    expect(
      await answer(
        ask(backend, "PUT", "/bucket/change", { json: { public: true, file_size_limit: null, id: "no" } }),
      ),
    ).toEqual([200, '{"message":"Successfully updated"}']);
    expect(await read()).toEqual({ ...before, public: true, file_size_limit: null });
    await ask(backend, "PUT", "/bucket/change", { json: { allowed_mime_types: [] } });
    expect(await read()).toMatchObject({ public: true, allowed_mime_types: [] });
    expect((await answer(ask(backend, "PUT", "/bucket/change", { json: {} })))[0]).toBe(400);
    expect(await answer(ask(backend, "PUT", "/bucket/none", { json: { public: true } }))).toEqual(
      BUCKET_NOT_FOUND,
    );
  });
});

describe("emptying and removing a bucket", () => {
  test("only an empty one can be removed, and only the service role empties", async () => {
    const client = adminOf(backend);
    await bucket({ name: "full" });
    for (const name of ["a", "b/c"]) must(await client.storage.from("full").upload(name, name));
    expect(await answer(ask(backend, "DELETE", "/bucket/full"))).toEqual(
      refusal(
        400,
        "409",
        "ResourceNotEmpty",
        "The bucket you tried to delete is not empty",
        "ResourceNotEmpty",
      ),
    );
    expect(await answer(ask(backend, "POST", "/bucket/full/empty", { token: backend.anonKey }))).toEqual(
      refusal(403, "403", "Unauthorized", "Access denied: Invalid role", "AccessDenied"),
    );
    expect(must(await client.storage.emptyBucket("full")).message).toBe(
      "Empty bucket has been queued. Completion may take up to an hour.",
    );
    expect(must(await client.storage.deleteBucket("full")).message).toBe("Successfully deleted");
    expect(await answer(ask(backend, "DELETE", "/bucket/full"))).toEqual(BUCKET_NOT_FOUND);
    expect(await answer(ask(backend, "POST", "/bucket/full/empty"))).toEqual(BUCKET_NOT_FOUND);
  });

  test("in SQL rows cannot be removed, not even none of them", async () => {
    await expect(backend.sql("delete from storage.objects where false")).rejects.toMatchObject({
      code: "42501",
      message: "Direct deletion from storage tables is not allowed. Use the Storage API instead.",
      hint: "This prevents accidental data loss from orphaned objects.",
    });
    await expect(backend.sql("delete from storage.buckets")).rejects.toMatchObject({ code: "42501" });
  });
});

describe("what is switched off", () => {
  // supabase/storage, src/http/plugins/tenant-feature.ts; vector buckets with `storage.vector.enabled = false`.
  test.each([["/vector/ListVectorBuckets"], ["/iceberg/v1/config"]])("%s says so", async (path) => {
    expect(await answer(ask(backend, "GET", path))).toEqual([
      403,
      '{"error":"FeatureNotEnabled","statusCode":"403","message":"feature not enabled for this tenant"}',
    ]);
  });

  // supabase/storage, src/http/routes/bucket/lifecycle-disabled.test.ts
  test.each([["GET"], ["PUT"], ["DELETE"]])("%s of a bucket's lifecycle says so", async (method) => {
    expect(await answer(ask(backend, method, "/bucket/avatars/lifecycle"))).toEqual(
      refusal(
        400,
        "409",
        "FeatureNotEnabled",
        "The feature object lifecycles is not enabled for this resource",
        "FeatureNotEnabled",
      ),
    );
  });

  const NO_VERSIONS = refusal(
    400,
    "409",
    "FeatureNotEnabled",
    "The feature object versioning is not enabled for this resource",
    "FeatureNotEnabled",
  );

  test.each([
    ["a new bucket", "POST", "/bucket", { name: "versions" }, ["ENABLED"]],
    ["a bucket", "PUT", "/bucket/avatars", { public: true }, ["ENABLED", "SUSPENDED"]],
  ])(
    "versions of objects are refused to %s, and nothing is made or changed",
    async (_, method, path, body, refused) => {
      await bucket({ name: "avatars" }).catch(() => {});
      const buckets = "select id, public, versioning_status from storage.buckets order by id";
      const before = await backend.sql(buckets);
      for (const versioning_status of refused)
        expect(await answer(ask(backend, method, path, { json: { ...body, versioning_status } }))).toEqual(
          NO_VERSIONS,
        );
      const [status, text] = await answer(
        ask(backend, method, path, { json: { ...body, versioning_status: "bogus" } }),
      );
      expect([status, text]).toEqual([
        400,
        expect.stringContaining("versioning_status must be equal to one of"),
      ]);
      expect(await backend.sql(buckets)).toEqual(before);
    },
  );
});
