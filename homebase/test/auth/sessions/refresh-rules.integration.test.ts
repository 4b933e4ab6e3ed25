/** The rules of refresh token rotation, for both kinds of tokens (docs/compat/auth.md 2, "Refresh tokens"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../src/auth/factors/totp.ts";
import { encodeCountedToken, parseCountedToken } from "../../../src/auth/sessions/refresh-token.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";
import { authBackend, clientOf, PASSWORD, PROJECT } from "../client.ts";

const SECOND = 1_000;

function refresher(backend: TestBackend) {
  return async (token = "") => {
    const response = await fetch(`${backend.url}/auth/v1/token?grant_type=refresh_token`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: token }),
    });
    const body = (await response.json()) as Record<string, string>;
    return {
      status: response.status,
      token: body.refresh_token,
      code: body.error_code,
      message: body.msg,
      cause: response.headers.get("sb-auth-refresh-token-reuse-cause"),
    };
  };
}

let count = 0;
async function signUp(backend: TestBackend) {
  const client = clientOf(backend);
  const { data } = await client.auth.signUp({ email: `rules${count++}@example.com`, password: PASSWORD });
  const first = data.session?.refresh_token ?? "";
  return { client, first, userId: data.user?.id };
}

const USED = {
  status: 400,
  code: "refresh_token_already_used",
  message: "Invalid Refresh Token: Already Used",
};
const INVALID = { status: 400, code: "validation_failed", message: "Refresh token is not valid" };

describe("a token of auth.refresh_tokens", () => {
  let backend: TestBackend;
  let refresh: ReturnType<typeof refresher>;
  beforeAll(async () => {
    backend = await authBackend();
    refresh = refresher(backend);
  });
  afterAll(() => backend.drop());

  it("is refreshed by the indexes alone, however many users there are", async () => {
    await backend.sql(
      "insert into auth.users (instance_id, id) select '00000000-0000-0000-0000-000000000000', gen_random_uuid() from generate_series(1, 5000)",
    );
    await backend.sql("analyze auth.users");
    let { first: token } = await signUp(backend);
    const reads = async () => {
      const [row] = await backend.sql<{ by_index: number; whole: number }>(
        "select idx_scan::int as by_index, seq_scan::int as whole from pg_stat_user_tables where relid = 'auth.users'::regclass",
      );
      return row ?? { by_index: 0, whole: 0 };
    };
    // A session tells its counts at most once a second: what came before the first refreshes is told with them.
    const refreshed = async () => {
      const before = await reads();
      await expect
        .poll(async () => {
          token = (await refresh(token)).token ?? "";
          return (await reads()).by_index;
        })
        .toBeGreaterThan(before.by_index + 5);
      return (await reads()).whole;
    };
    expect(await refreshed()).toBe(await refreshed());
  });

  it("replayed after the interval is refused again and again, and so is its whole family", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    const third = (await refresh(second)).token;
    backend.clock.advance(11 * SECOND);
    for (const token of [first, first, second, third, first, third]) {
      expect(await refresh(token)).toMatchObject(USED);
    }
    const left = await backend.sql(
      "select 1 from auth.refresh_tokens where not revoked and token = any($1)",
      [[first, second, third]],
    );
    expect(left).toEqual([]);
    backend.clock.reset();
  });

  it("replayed within the interval does not prolong it", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    await refresh(second);
    backend.clock.advance(6 * SECOND);
    const again = await refresh(first);
    expect(again).toMatchObject({ status: 200, cause: "reuse-interval" });
    // Used, so that the replayed token is no longer the parent of the active one.
    await refresh(again.token);
    backend.clock.advance(6 * SECOND);
    expect(await refresh(first)).toMatchObject(USED);
    backend.clock.reset();
  });

  it("that is the parent of the active one gives the active one, however often and late", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    backend.clock.advance(3_600 * SECOND);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await refresh(first)).toMatchObject({ status: 200, token: second, cause: "parent-of-active" });
    }
    backend.clock.reset();
  });

  it("replayed by many at once after the interval is refused to all", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    await refresh(second);
    backend.clock.advance(11 * SECOND);
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(first)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(400));
    backend.clock.reset();
  });

  it("is gone with its session", async () => {
    const { client, first } = await signUp(backend);
    await client.auth.signOut();
    expect(await refresh(first)).toMatchObject({ status: 400, code: "refresh_token_not_found" });
  });

  it.each([
    "short",
    "ABCDEFGHIJKL",
    "abcdefghijk!",
    "abcdefghijklm",
    "a".repeat(5_000),
    "\u00e4bcdefghijkl",
    "abc\u0000efghijkl",
  ])("of another form is refused before it is looked up: %s", async (token) => {
    expect((await refresh(token)).status).toBe(400);
  });

  it("of another form is named so", async () => {
    for (const token of ["short", "ABCDEFGHIJKL", "abcdefghijklm"]) {
      expect(await refresh(token)).toMatchObject(INVALID);
    }
  });
});

describe("a token with a counter", () => {
  let backend: TestBackend;
  let refresh: ReturnType<typeof refresher>;
  beforeAll(async () => {
    backend = await createBackend({
      projectFolder: PROJECT,
      bare: true,
      config: {
        auth: { mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
        environment: { GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION: "2" },
      },
    });
    refresh = refresher(backend);
  });
  afterAll(() => backend.drop());

  it("counts up, and stands in no row", async () => {
    const { first, userId } = await signUp(backend);
    expect(parseCountedToken(first)?.counter).toBe(0n);
    const next = await refresh(first);
    expect(parseCountedToken(next.token ?? "")?.counter).toBe(1n);
    expect(await backend.sql("select 1 from auth.refresh_tokens where user_id = $1", [userId])).toEqual([]);
  });

  it("one behind gives the present one, however late", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    backend.clock.advance(3_600 * SECOND);
    expect(await refresh(first)).toMatchObject({ status: 200, token: second, cause: "fail-to-save" });
    backend.clock.reset();
  });

  it("further behind gives the present one within the interval, and ends the session after it", async () => {
    const { first } = await signUp(backend);
    const second = (await refresh(first)).token;
    const third = (await refresh(second)).token;
    expect(await refresh(first)).toMatchObject({ status: 200, token: third, cause: "concurrent-refresh" });
    backend.clock.advance(11 * SECOND);
    expect(await refresh(first)).toMatchObject(USED);
    for (const token of [first, second, third]) {
      expect(await refresh(token)).toMatchObject({ status: 400, code: "refresh_token_not_found" });
    }
    backend.clock.reset();
  });

  it("used by many at once gives all the same successor", async () => {
    const { first } = await signUp(backend);
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(first)));
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
    expect(parseCountedToken(answers[0]?.token ?? "")?.counter).toBe(1n);
  });

  it("is refused when another key signed it, or nobody issued its counter yet", async () => {
    const { first, userId } = await signUp(backend);
    const [row] = await backend.sql(
      "select id, refresh_token_hmac_key as key from auth.sessions where user_id = $1",
      [userId],
    );
    const { id, key } = row as { id: string; key: string };
    const forged = encodeCountedToken(id, 0n, Buffer.alloc(32).toString("base64url"));
    expect(await refresh(forged)).toMatchObject({ status: 400, code: "refresh_token_not_found" });
    expect(await refresh(encodeCountedToken(id, 7n, key))).toMatchObject({
      status: 400,
      code: "validation_failed",
      message: "Invalid Refresh Token: Not Issued By This Server",
    });
    // Not its last character, some of whose bits mean nothing.
    const changed = `${first.slice(0, -9)}${first.at(-9) === "A" ? "B" : "A"}${first.slice(-8)}`;
    expect(await refresh(changed)).toMatchObject(INVALID);
    expect((await refresh(first)).status).toBe(200);
  });

  it("of the lower level is worth nothing after a second factor", async () => {
    const { client, first } = await signUp(backend);
    const { data: factor } = await client.auth.mfa.enroll({ factorType: "totp" });
    if (factor?.type !== "totp") throw new Error("no factor");
    const code = totpCode(factor.totp.secret, backend.clock.now());
    expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toBeNull();
    const { data } = await client.auth.getSession();
    expect(parseCountedToken(data.session?.refresh_token ?? "")?.counter).toBe(2n);
    backend.clock.advance(11 * SECOND);
    expect(await refresh(first)).toMatchObject(USED);
    backend.clock.reset();
  });
});
