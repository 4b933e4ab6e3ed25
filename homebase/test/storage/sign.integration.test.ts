/** Signed URLs for reading and uploading: their access, scope and expiry. */
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { UrlSigner } from "../../src/storage/disk/url-signer.ts";
import { forThisFile } from "../for-this-file.ts";
import {
  adminOf,
  answer,
  ask,
  clientOf,
  createPubAndPriv,
  DUPLICATE,
  failure,
  must,
  OBJECT_NOT_FOUND,
  refusal,
  storageBackend,
} from "./fixture.ts";

const TEXT = "0123456789";

const backend = await forThisFile(storageBackend());
beforeAll(() => createPubAndPriv(backend, { "a/digits.txt": new Blob([TEXT], { type: "text/plain" }) }));

const get = (path: string, headers: Record<string, string> = {}, token: string | null = null) =>
  ask(backend, "GET", path, { headers, token });

describe("signed reading", () => {
  const sign = async (key: string, seconds = 60) =>
    must(await adminOf(backend).storage.from("priv").createSignedUrl(key, seconds)).signedUrl;

  test("opens without any key, expires with the clock, and says when", async () => {
    const url = await sign("a/digits.txt");
    const response = await fetch(url);
    expect([response.status, await response.text(), response.headers.has("cache-control")]).toEqual([
      200,
      TEXT,
      false,
    ]);
    const expires = Date.parse(response.headers.get("expires") ?? "");
    expect(Math.abs(expires - backend.clock.now() - 60_000)).toBeLessThan(2_000);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    backend.clock.advance(61_000);
    expect(await answer(fetch(url))).toEqual(
      refusal(400, "400", "InvalidJWT", '"exp" claim timestamp check failed', "InvalidJWT"),
    );
    backend.clock.reset();
  });

  test("is for that object, with that signature, and for reading", async () => {
    const url = await sign("a/digits.txt");
    const token = new URL(url).searchParams.get("token") ?? "";
    const invalid = (message: string, code: string) => refusal(400, "400", code, message, code);
    expect(await answer(get(`/object/sign/pub/a/digits.txt?token=${token}`))).toEqual(
      invalid("Invalid signature", "InvalidSignature"),
    );
    expect(await answer(get("/object/sign/priv/a/digits.txt?token=nonsense"))).toEqual(
      invalid("Invalid Compact JWS", "InvalidJWT"),
    );
    expect(await answer(get(`/object/sign/priv/a/digits.txt?token=${token.slice(0, -4)}AAAA`))).toEqual(
      invalid("signature verification failed", "InvalidJWT"),
    );
    expect((await answer(get("/object/sign/priv/a/digits.txt")))[1]).toContain(
      "querystring must have required property 'token'",
    );
    expect(
      await answer(
        ask(backend, "PUT", `/object/upload/sign/priv/a/digits.txt?token=${token}`, { body: "x" }),
      ),
    ).toEqual(invalid("Token is not scoped for upload", "InvalidSignature"));
  });

  test("the token says what the real one's says, in its order", async () => {
    const token = new URL(await sign("a/digits.txt", 90)).searchParams.get("token") ?? "";
    const [head = "", body = ""] = token.split(".");
    expect(Buffer.from(head, "base64url").toString()).toMatch(
      /^\{"alg":"HS256","kid":"storage-url-signing-key_[0-9a-f-]{36}"\}$/,
    );
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, number>;
    expect(Object.keys(claims)).toEqual(["url", "scope", "iat", "exp"]);
    expect(claims).toMatchObject({ url: "priv/a/digits.txt", scope: "download" });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(90);
  });

  test("no other key signs: neither the public JWT secret nor a signing key, for reading, uploading or resuming", async () => {
    const { keys } = backend.backend;
    const own = new URL(await sign("a/digits.txt")).searchParams.get("token") ?? "";
    const { kid } = JSON.parse(Buffer.from(own.split(".")[0] ?? "", "base64url").toString());
    const forge = async (claims: Record<string, unknown>) => [
      await keys.signWithSecret(claims),
      await keys.sign(claims),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid })
        .sign(new TextEncoder().encode(keys.jwtSecret)),
    ];
    const wrong = refusal(400, "400", "InvalidJWT", "signature verification failed", "InvalidJWT");
    const place = { url: "priv/a/digits.txt", exp: 4e9 };
    for (const token of await forge({ ...place, scope: "download" })) {
      for (const way of ["object", "render/image"]) {
        expect(await answer(get(`/${way}/sign/priv/a/digits.txt?token=${token}`))).toEqual(wrong);
      }
    }
    for (const token of await forge({ ...place, scope: "upload", upsert: true })) {
      const upload = ask(backend, "PUT", `/object/upload/sign/priv/a/digits.txt?token=${token}`, {
        body: "x",
      });
      expect(await answer(upload)).toEqual(wrong);
      const metadata = `bucketName ${btoa("priv")},objectName ${btoa("a/digits.txt")}`;
      const resumed = await ask(backend, "POST", "/upload/resumable/sign", {
        token: null,
        headers: {
          "tus-resumable": "1.0.0",
          "upload-length": "1",
          "upload-metadata": metadata,
          "x-signature": token,
        },
      });
      expect([resumed.status, await resumed.text()]).toEqual([400, "signature verification failed"]);
    }
  });

  test("the key is the folder's own: a URL outlives a new service, but not the key", async () => {
    const url = await sign("a/digits.txt");
    const token = new URL(url).searchParams.get("token") ?? "";
    expect((await new UrlSigner(backend.storageFolder).check(token)).ok).toBe(true);
    const file = join(backend.storageFolder, "url-signing-key.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const other = await mkdtemp(join(tmpdir(), "homebase-signer-"));
    expect(await new UrlSigner(other).check(token)).toMatchObject({ ok: false, failure: "signature" });
    await writeFile(join(other, "url-signing-key.json"), "{");
    expect((await new UrlSigner(other).sign({})).split(".")).toHaveLength(3);
    await rm(other, { recursive: true });
  });

  test("keys with spaces and plus signs survive; escapes of reserved signs stay escaped", async () => {
    const { storage } = adminOf(backend);
    for (const key of ["b c+d.txt", "q&r.txt"]) {
      must(await storage.from("priv").upload(key, key));
      expect(await answer(fetch(await sign(key)))).toEqual([200, key]);
    }
    const signed = await ask(backend, "POST", "/object/sign/priv/q%26r.txt", { json: { expiresIn: 60 } });
    expect(((await signed.json()) as { signedURL: string }).signedURL).toContain(
      "/object/sign/priv/q%26r.txt?token=",
    );
  });

  test("a replaced object is read as it is now, a removed one is not found", async () => {
    const { storage } = adminOf(backend);
    must(await storage.from("priv").upload("turn", "old"));
    const url = await sign("turn");
    must(await storage.from("priv").update("turn", "new"));
    expect(await answer(fetch(url))).toEqual([200, "new"]);
    must(await storage.from("priv").remove(["turn"]));
    expect(await answer(fetch(url))).toEqual(OBJECT_NOT_FOUND);
  });

  test("is refused for what is not there, not visible, or not a duration", async () => {
    const body = { expiresIn: 60 };
    expect(await answer(ask(backend, "POST", "/object/sign/priv/nothing", { json: body }))).toEqual(
      OBJECT_NOT_FOUND,
    );
    expect(await answer(ask(backend, "POST", "/object/sign/nowhere/nothing", { json: body }))).toEqual(
      OBJECT_NOT_FOUND,
    );
    expect(
      await answer(
        ask(backend, "POST", "/object/sign/priv/a/digits.txt", { json: body, token: backend.anonKey }),
      ),
    ).toEqual(OBJECT_NOT_FOUND);
    for (const [expiresIn, message] of [
      [0, "body/expiresIn must be >= 1"],
      [undefined, "body must have required property 'expiresIn'"],
      ["x", "body/expiresIn must be integer"],
    ]) {
      expect(await answer(ask(backend, "POST", "/object/sign/priv/x", { json: { expiresIn } }))).toEqual(
        refusal(400, "400", "Error", String(message), "InvalidRequest"),
      );
    }
    expect(
      (await answer(ask(backend, "POST", "/object/sign/priv/x", { json: { expiresIn: 1e15 } })))[1],
    ).toContain("Invalid Parameter expiresIn");
  });

  test("many at once, in order, each with its own outcome", async () => {
    const { storage } = adminOf(backend);
    const urls = must(await storage.from("priv").createSignedUrls(["nothing", "a/digits.txt"], 60));
    expect(urls[0]).toMatchObject({
      path: "nothing",
      error: "Either the object does not exist or you do not have access to it",
      signedUrl: null,
    });
    expect(await answer(fetch(urls[1]?.signedUrl ?? ""))).toEqual([200, TEXT]);
    expect(
      (await answer(ask(backend, "POST", "/object/sign/priv", { json: { expiresIn: 1, paths: [] } })))[1],
    ).toContain("body/paths must NOT have fewer than 1 items");
    expect(
      await answer(ask(backend, "POST", "/object/sign/nowhere", { json: { expiresIn: 1, paths: "x" } })),
    ).toEqual([
      200,
      '[{"error":"Either the object does not exist or you do not have access to it","path":"x","signedURL":null}]',
    ]);
  });
});

describe("signed uploading", () => {
  test("without any key, once per key unless it may replace, owned by who signed", async () => {
    const { storage } = adminOf(backend);
    const { token, path } = must(await storage.from("priv").createSignedUploadUrl("up/one"));
    const anonymous = clientOf(backend).storage.from("priv");
    expect(must(await anonymous.uploadToSignedUrl(path, token, "1"))).toEqual({
      path: "up/one",
      fullPath: "priv/up/one",
    });
    expect(
      failure((await anonymous.uploadToSignedUrl(path, token, "2", { upsert: true })).error),
    ).toMatchObject({
      statusCode: "409",
    });
    expect(await answer(ask(backend, "POST", "/object/upload/sign/priv/up/one"))).toEqual(DUPLICATE);
    const replacing = must(await storage.from("priv").createSignedUploadUrl("up/one", { upsert: true }));
    must(await anonymous.uploadToSignedUrl(path, replacing.token, "3"));
    must(await anonymous.uploadToSignedUrl(path, replacing.token, "4"));
    expect(await must(await storage.from("priv").download("up/one")).text()).toBe("4");
  });

  test("ends after two hours, is bound to its key, and is not for reading", async () => {
    const { storage } = adminOf(backend);
    const { token } = must(await storage.from("priv").createSignedUploadUrl("up/two"));
    const put = (key: string) =>
      answer(
        ask(backend, "PUT", `/object/upload/sign/priv/${key}?token=${token}`, { body: "x", token: null }),
      );
    expect((await put("up/three"))[1]).toContain("Invalid signature");
    expect((await answer(get(`/object/sign/priv/up/two?token=${token}`)))[1]).toContain(
      "Token is not scoped for download",
    );
    backend.clock.advance(7_201_000);
    expect((await put("up/two"))[1]).toContain('\\"exp\\" claim timestamp check failed');
    backend.clock.reset();
    expect(await put("up/two")).toEqual([200, '{"Key":"priv/up/two"}']);
  });

  test("into a bucket that is not there is a related row missing", async () => {
    expect(await answer(ask(backend, "POST", "/object/upload/sign/nowhere/x"))).toEqual(
      refusal(400, "404", "InvalidRequest", "The related resource does not exist", "InvalidRequest"),
    );
  });
});
