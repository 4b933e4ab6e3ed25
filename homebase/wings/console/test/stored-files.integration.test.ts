/** Files as a lens gets them, beside Storage's own answers; what is done with them; hostile names; large bodies. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createClient } from "@supabase/supabase-js";
import { beforeAll, describe, expect, test } from "vitest";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import type { ServiceRequest } from "../../../src/http/exchange.ts";
import { NOTHING_SENT } from "../../../src/rest/execute/as.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import type { FileAct, Lens, UploadAsk } from "../server/api.ts";
import type { CallContext } from "../server/call.ts";
import { DATA_CALLS, uploadFile } from "../server/data/calls.ts";
import { bytesOf, filesOf } from "../server/data/stored-files.ts";
import { Reasons } from "../server/why.ts";

const ANA = "00000000-0000-4000-8000-0000000000a1";
const POSTGRES: Lens = { kind: "postgres" };
const ANON: Lens = { kind: "role", role: "anon" };
const OWNER: Lens = { kind: "user", id: ANA, name: "ana@example.com" };
const LARGE = 200 * 1024 ** 2;

const backend = await forThisFile(
  createBackend({ bare: true, config: { storage: { file_size_limit: 300 * 1024 ** 2 } } }),
);
const start = { backend: backend.backend } as DeveloperStart;
const context = { start, reasons: new Reasons(start) } as CallContext;
const storage = createClient(backend.url, backend.secretKey).storage;
const signal = new AbortController().signal;

const bodyOf = (text: string) => Readable.from([Buffer.from(text)]);
const ask = (name: keyof typeof DATA_CALLS, question: Record<string, unknown>) =>
  Promise.resolve().then<unknown>(() => DATA_CALLS[name](context, question, signal)) as Promise<never>;
const listed = async (as: Lens, prefix = "", bucket = "papers") => {
  const { files } = await filesOf(start, { as, bucket, prefix });
  return files.filter(({ hidden }) => !hidden).map(({ path }) => path);
};
const act = (given: FileAct): Promise<{ link?: string }> => ask("fileAct", { ...given });
const put = (given: Partial<UploadAsk>, body: Readable, headers: Record<string, string> = {}) => {
  const question = {
    as: POSTGRES,
    bucket: "papers",
    path: "new.txt",
    type: "text/plain",
    replace: false,
    ...given,
  };
  const request: ServiceRequest = {
    ...NOTHING_SENT,
    body,
    headers: { ...headers, "x-ask": encodeURIComponent(JSON.stringify(question)) },
  };
  return Promise.resolve().then(() => uploadFile(context, request));
};

beforeAll(async () => {
  await backend.sql(`insert into auth.users (id, email, aud, role) values ('${ANA}', 'ana@example.com', 'authenticated', 'authenticated');
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
      ('open', 'open', true, null, null), ('papers', 'papers', false, null, null), ('small', 'small', false, 10, '{text/plain}');
    create policy own on storage.objects for select to authenticated
      using (bucket_id = 'papers' and (storage.foldername(name))[1] = auth.uid()::text);
    create policy add on storage.objects for insert to authenticated
      with check (bucket_id = 'papers' and (storage.foldername(name))[1] = auth.uid()::text);`);
  for (const [bucket, name, body] of [
    ["papers", `${ANA}/mine.txt`, "mine"],
    ["papers", "secret.txt", "not yours"],
    ["papers", "deep/er/one.txt", "1"],
    ["open", "seen.html", "<script>alert(1)</script>"],
  ] as const) {
    const { error } = await storage.from(bucket).upload(name, new Blob([body], { type: "text/html" }));
    expect(error).toBeNull();
  }
});

describe("a bucket", () => {
  const made = (given: object) =>
    ask("makeBucket", { name: "new", public: false, limit: "", types: [], ...given }).then(
      () => "made",
      (error: Error) => error.message,
    );
  const bucket = async (id: string) => (await storage.listBuckets()).data?.find((one) => one.id === id);

  test("is made by Storage, with its rules and its errors", async () => {
    expect(await made({})).toBe("made");
    expect(await bucket("new")).toMatchObject({ public: false, file_size_limit: null });
    expect(await made({ name: "full", public: true, limit: "1.5MB", types: ["image/*"] })).toBe("made");
    const limits = { file_size_limit: 1_500_000, allowed_mime_types: ["image/*"] };
    expect(await bucket("full")).toMatchObject({ public: true, ...limits });
    expect(await made({})).toBe("The resource already exists");
    expect(await made({ name: "a/b" })).toBe("Bucket name invalid");
    expect(await made({ name: "" })).toBe("Bucket name invalid");
    expect(await made({ name: "types", types: ["pictures"] })).toBe("mime type pictures is not supported");
    expect(await made({ name: "large", limit: "400GB" })).toBe(
      "The object exceeded the maximum allowed size",
    );
    expect(await made({ name: "size", limit: "much" })).toContain("file_size_limit");
    for (const name of ["types", "large", "size"]) expect(await bucket(name)).toBeUndefined();
  });
});

describe("a list", () => {
  test("of buckets has their limits, what is in them, and which of them the lens lists", async () => {
    const { buckets } = (await ask("buckets", { as: ANON })) as { buckets: { name: string }[] };
    // Others are the project's own.
    expect(buckets.filter(({ name }) => ["open", "papers", "small"].includes(name))).toEqual([
      { name: "open", public: true, limit: null, types: [], files: 1, bytes: 25, hidden: true },
      { name: "papers", public: false, limit: null, types: [], files: 3, bytes: 14, hidden: true },
      { name: "small", public: false, limit: 10, types: ["text/plain"], files: 0, bytes: 0, hidden: true },
    ]);
    await backend.sql("create policy names on storage.buckets for select to anon using (id = 'open')");
    const again = (await ask("buckets", { as: ANON })) as { buckets: { name: string; hidden: boolean }[] };
    expect(again.buckets.filter(({ hidden }) => !hidden).map(({ name }) => name)).toEqual(["open"]);
    await backend.sql("drop policy names on storage.buckets");
  });

  test("of a folder has what Storage lists for the lens, and marks the rest", async () => {
    expect(await listed(POSTGRES)).toEqual([`${ANA}/`, "deep/", "secret.txt"]);
    expect(await listed(ANON)).toEqual([]);
    const token = await backend.backend.keys.sign({
      sub: ANA,
      role: "authenticated",
      exp: Math.floor(backend.clock.now() / 1_000) + 600,
    });
    const own = createClient(backend.url, backend.publishableKey, { accessToken: async () => token }).storage;
    for (const prefix of ["", `${ANA}/`, "deep/er/"]) {
      const { data } = await own.from("papers").listV2({ prefix, with_delimiter: true });
      const names = [...(data?.folders ?? []), ...(data?.objects ?? [])].map(({ name }) => name);
      expect(await listed(OWNER, prefix)).toEqual(names);
    }
    expect(await listed(OWNER)).toEqual([`${ANA}/`]);
  });

  test("of a role that Storage may not take has nothing for it, and the reason", async () => {
    const nobody: Lens = { kind: "role", role: "nobody" };
    const { files, refused } = await filesOf(start, { as: nobody, bucket: "papers", prefix: "" });
    expect([files.map(({ hidden }) => hidden), refused]).toEqual([
      [true, true, true],
      'role "nobody" does not exist',
    ]);
  });

  test("says size, type, time and owner, and that there is no such bucket", async () => {
    await put({ as: OWNER, path: `${ANA}/own.txt` }, bodyOf("four"));
    const { files } = await filesOf(start, { as: OWNER, bucket: "papers", prefix: `${ANA}/own` });
    expect(files).toEqual([
      {
        path: `${ANA}/own.txt`,
        folder: false,
        hidden: false,
        size: 4,
        type: "text/plain",
        changed: expect.stringMatching(/^\d{4}-/),
        owner: "ana@example.com",
      },
    ]);
    await act({ as: POSTGRES, bucket: "papers", path: `${ANA}/own.txt`, do: "delete" });
    await expect(listed(POSTGRES, "", "none")).rejects.toThrow("Bucket not found");
  });

  test("of 3,000 files is read in pages by name, each once, and as the lens with the same places", async () => {
    await backend.sql(`insert into storage.buckets (id, name) values ('many', 'many');
      insert into storage.objects (bucket_id, name, owner_id, metadata)
        select 'many', 'all/' || lpad(i::text, 5, '0'), case when i % 7 = 0 then '${ANA}' end, '{"size": 1, "mimetype": "text/plain"}'
        from generate_series(1, 3000) i;
      create policy sevens on storage.objects for select to authenticated using (bucket_id = 'many' and owner_id = auth.uid()::text)`);
    const seen: string[] = [];
    const hidden: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await filesOf(start, { as: OWNER, bucket: "many", prefix: "all/", after });
      for (const { path, hidden: from } of page.files) (from ? hidden : seen).push(path);
      after = page.next;
      pages += 1;
    } while (after !== undefined);
    expect([pages, seen.length, hidden.length, new Set([...seen, ...hidden]).size]).toEqual([
      30, 428, 2_572, 3_000,
    ]);
    expect(seen.every((path) => Number(path.slice(4)) % 7 === 0)).toBe(true);
    expect(await listed(OWNER, "all/0210", "many")).toEqual(["all/02100", "all/02107"]);
  });
});

describe("a file", () => {
  test("is read and deleted as the lens, and the refusal has its reason", async () => {
    const bytes = async (as: Lens, path: string, most?: number) =>
      (await buffer(await bytesOf(start, { as, bucket: "papers", path, most }))).toString();
    expect(await bytes(OWNER, `${ANA}/mine.txt`)).toBe("mine");
    expect(await bytes(POSTGRES, "secret.txt", 3)).toBe("not");
    await expect(bytes(OWNER, "secret.txt")).rejects.toThrow("Object not found");
    const given = { as: OWNER, bucket: "papers", path: "secret.txt" } as const;
    await expect(act({ ...given, do: "delete" })).rejects.toThrow(/Access denied\. .*policy/s);
    await expect(act({ ...given, do: "sign", seconds: 60 })).rejects.toThrow(/Object not found\. .*"own"/s);
    expect(await listed(POSTGRES, "secret")).toEqual(["secret.txt"]);
  });

  test("is signed by Storage for as long as was chosen, whatever its name has", async () => {
    for (const path of [`${ANA}/a b&c=d+e?f.txt`, `${ANA}/mine.txt`]) {
      if (path.includes("?")) await put({ path }, bodyOf("mine"));
      const { link = "" } = await act({ as: OWNER, bucket: "papers", path, do: "sign", seconds: 90 });
      const response = await fetch(link);
      expect([path, response.status, await response.text()]).toEqual([path, 200, "mine"]);
      const [, claims = ""] = new URL(link).searchParams.get("token")?.split(".") ?? [];
      const { iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString()) as {
        iat: number;
        exp: number;
      };
      expect(exp - iat).toBe(90);
    }
  });

  test("says who may read it: by the bucket, or by the policies as the lens meets them", async () => {
    const why = async (as: Lens, bucket: string, path: string) => {
      const { gates, sentences } = (await ask("whyFile", { as, bucket, path })) as {
        gates: { name: string; mark: string }[];
        sentences: string[];
      };
      return [gates.map(({ name, mark }) => `${name} ${mark}`).join(", "), sentences.join(" ")];
    };
    expect(await why(ANON, "open", "seen.html")).toEqual([
      "Bucket open, Policy unknown",
      "Bucket open is public: reading seen.html asks no policy.",
    ]);
    expect(await why(OWNER, "papers", `${ANA}/mine.txt`)).toEqual([
      "Bucket open, Policy open",
      expect.stringContaining("lets authenticated read"),
    ]);
    expect(await why(OWNER, "papers", "secret.txt")).toEqual([
      "Bucket open, Policy shut",
      expect.stringContaining('policy "own"'),
    ]);
    expect((await why(POSTGRES, "papers", "secret.txt"))[0]).toBe("Bucket open, Policy open");
  });
});

describe("an upload", () => {
  test("goes as the lens; what refuses it is said: a policy, the bucket, a file that is there", async () => {
    await put({ as: OWNER, path: `${ANA}/new.txt` }, bodyOf("new"));
    expect(await listed(OWNER, `${ANA}/new`)).toEqual([`${ANA}/new.txt`]);
    const text = () => bodyOf("twelve bytes");
    await expect(put({ as: OWNER, path: "new.txt" }, text())).rejects.toThrow(
      /^new row violates row-level security policy\. .*policy "add"/s,
    );
    await expect(put({ as: OWNER, path: `${ANA}/new.txt` }, text())).rejects.toThrow(
      "The resource already exists",
    );
    await put({ path: `${ANA}/new.txt`, replace: true }, text());
    await expect(put({ bucket: "small", path: "a.txt" }, text())).rejects.toThrow(
      "exceeded the maximum allowed size",
    );
    await expect(put({ bucket: "small", path: "a.png", type: "image/png" }, text())).rejects.toThrow(
      "mime type image/png is not supported",
    );
    await expect(put({ path: "" }, text())).rejects.toThrow();
  });

  test("and a download of 200 MB are never whole in the stack's memory", async () => {
    const chunk = Buffer.alloc(1024 ** 2, 1);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const held = () => {
      collect();
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const before = held();
    let most = 0;
    const body = Readable.from(
      (function* () {
        for (let sent = 0; sent < LARGE; sent += chunk.length) {
          if (sent % (16 * chunk.length) === 0) most = Math.max(most, held());
          yield chunk;
        }
      })(),
    );
    await put({ path: "large.bin" }, body, { "content-length": String(LARGE) });
    let size = 0;
    for await (const part of await bytesOf(start, { as: POSTGRES, bucket: "papers", path: "large.bin" })) {
      size += (part as Buffer).length;
      if (size % (16 * chunk.length) < (part as Buffer).length) most = Math.max(most, held());
    }
    expect(size).toBe(LARGE);
    expect(most - before).toBeLessThan(LARGE / 8);
    await act({ as: POSTGRES, bucket: "papers", path: "large.bin", do: "delete" });
  });
});

test("hostile names lead nowhere else: what is listed is asked for by the same name", async () => {
  const names = [
    "a/../../secret.txt",
    "..",
    "%2e%2e/x",
    "\u202Egnp.exe",
    `"'<img src=x onerror=alert(1)>`,
    "a//b",
    "x".repeat(900),
  ];
  await backend.sql("insert into storage.buckets (id, name) values ('..', '..')");
  for (const name of names)
    await backend.sql("insert into storage.objects (bucket_id, name) values ('..', $1)", [name]);
  const all = await filesOf(start, { as: POSTGRES, bucket: "..", prefix: "" });
  expect(new Set(all.files.map(({ path }) => path))).toEqual(
    new Set(["a/", "..", "%2e%2e/", "\u202Egnp.exe", `"'<img src=x onerror=alert(1)>`, "x".repeat(900)]),
  );
  expect(await listed(POSTGRES, "a/../", "..")).toEqual(["a/../../"]);
  expect(await listed(POSTGRES, "a//", "..")).toEqual(["a//b"]);
  for (const path of names) {
    const why = (await ask("whyFile", { as: ANON, bucket: "..", path })) as { sentences: string[] };
    expect(why.sentences.join(" ")).not.toContain("There is no object");
    await expect(
      act({ as: POSTGRES, bucket: "..", path, do: "sign", seconds: 60 }).then(({ link }) => link),
    ).resolves.toContain("/sign/");
    await expect(bytesOf(start, { as: POSTGRES, bucket: "..", path })).rejects.toThrow();
  }
});

test("none of it is in the record of requests", () => {
  const paths = backend.backend.requests.list({}).records.map(({ path }) => path);
  // Those of the test's own client are.
  expect(paths).toContain("/storage/v1/object/open/seen.html");
  expect(paths.filter((path) => /\/list-v2\/many|\/bucket\/|large\.bin|new\.txt/.test(path))).toEqual([]);
});
