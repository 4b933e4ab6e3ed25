/** Passwords hashed by other systems, and hashing without blocking other work (docs/compat/auth.md 3). */
import { argon2Sync } from "node:crypto";
import { hash } from "@node-rs/bcrypt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isImportedHash, verifyImported } from "../../../src/auth/users/imported-hashes.ts";
import type { TestBackend } from "../../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, PASSWORD } from "../client.ts";

/** The example that Firebase publishes with its scrypt utility. */
const FIREBASE = {
  password: "user1password",
  hash: "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
};

function argon2Hash(algorithm: "argon2i" | "argon2id", password: string): string {
  const salt = Buffer.from("0123456789abcdef");
  const parameters = {
    message: password,
    nonce: salt,
    memory: 256,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  };
  const tag = argon2Sync(algorithm, parameters);
  const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `$${algorithm}$v=19$m=256,t=2,p=1$${base64(salt)}$${base64(tag)}`;
}

describe("a hash made elsewhere", () => {
  const kinds: [string, string, string][] = [
    ["Argon2id", "correct", argon2Hash("argon2id", "correct")],
    ["Argon2i", "correct", argon2Hash("argon2i", "correct")],
    ["Firebase's scrypt", FIREBASE.password, FIREBASE.hash],
  ];
  it.each(kinds)("of %s fits its password and no other", async (_name, password, hash) => {
    expect(isImportedHash(hash)).toBe(true);
    expect(await verifyImported(password, hash)).toBe(true);
    expect(await verifyImported(`${password}!`, hash)).toBe(false);
  });

  it.each([
    "",
    "plain",
    "$argon2d$v=19$m=256,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
    "$argon2id$v=19$m=99999999,t=2,p=1$c2FsdHNhbHQ$aGFzaA",
    "$fbscrypt$v=1,n=40,r=8,p=1$c2FsdA==$aGFzaA==",
  ])("is none that counts: %s", async (hash) => {
    expect(isImportedHash(hash)).toBe(false);
    expect(await verifyImported("x", hash)).toBe(false);
  });
});

describe("users with hashes", () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await authBackend();
  });
  afterAll(() => backend.drop());

  it("sign in by the password that was hashed elsewhere", async () => {
    const { admin } = adminOf(backend).auth;
    const made = await admin.createUser({
      email: "firebase@example.com",
      password_hash: FIREBASE.hash,
      email_confirm: true,
    });
    expect(made.error).toBeNull();
    const sign = (password: string) =>
      clientOf(backend).auth.signInWithPassword({ email: "firebase@example.com", password });
    expect((await sign(FIREBASE.password)).error).toBeNull();
    expect((await sign("wrong")).error).toMatchObject({ code: "invalid_credentials" });
    const refused = await admin.createUser({ email: "odd@example.com", password_hash: "md5:x" });
    expect(refused.error?.status).toBe(500);
  });

  it("do not hold up others while a password is hashed: what is asked later is answered earlier", async () => {
    const client = clientOf(backend);
    await client.auth.signUp({ email: "busy@example.com", password: PASSWORD });
    const token = (await client.auth.getSession()).data.session?.access_token ?? "";
    // So costly that a password takes as long as a hundred of the others, on a busy machine too.
    await backend.sql("update auth.users set encrypted_password = $1 where email = 'busy@example.com'", [
      await hash(PASSWORD, 13),
    ]);
    const order: string[] = [];
    const signs = Array.from({ length: 2 }, () =>
      clientOf(backend)
        .auth.signInWithPassword({ email: "busy@example.com", password: PASSWORD })
        .then(({ error }) => order.push(error?.message ?? "password")),
    );
    const reads = Array.from({ length: 4 }, () => client.auth.getUser(token).then(() => order.push("read")));
    await Promise.all([...signs, ...reads]);
    expect(order).toEqual(["read", "read", "read", "read", "password", "password"]);
  });
});
