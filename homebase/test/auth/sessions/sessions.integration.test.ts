/** Refresh, reuse detection, session limits and sign-out (docs/compat/auth.md 2). */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { authBackend, clientOf, PASSWORD } from "../client.ts";

const backend = await forThisFile(authBackend({ sessions: { inactivity_timeout: 8 * 3_600_000 } }));

let count = 0;
async function signedUp() {
  const client = clientOf(backend);
  const email = `session${count++}@example.com`;
  const { data } = await client.auth.signUp({ email, password: PASSWORD });
  if (!data.session) throw new Error("no session");
  return { client, email, session: data.session, first: data.session.refresh_token };
}

const refresh = async (token: string) => {
  const { data, error } = await clientOf(backend).auth.refreshSession({ refresh_token: token });
  return { token: data.session?.refresh_token, error };
};

describe("refresh", () => {
  it("rotates the token and keeps the session", async () => {
    const { client, session, first } = await signedUp();
    expect(first).toMatch(/^[a-z2-7]{12}$/);
    const { data } = await client.auth.refreshSession();
    expect(data.session?.refresh_token).not.toBe(first);
    const before = JSON.parse(Buffer.from(session.access_token.split(".")[1] ?? "", "base64url").toString());
    const { data: after } = await client.auth.getClaims();
    expect(after?.claims.session_id).toBe(before.session_id);
    expect(after?.claims.amr).toMatchObject([{ method: "password" }]);
  });

  it("gives the parent of the active token that same token, however late", async () => {
    const { first } = await signedUp();
    const { token: second } = await refresh(first);
    backend.clock.advance(3_600_000);
    expect((await refresh(first)).token).toBe(second);
    backend.clock.reset();
  });

  it("tolerates an older token within the interval with a new one", async () => {
    const { first } = await signedUp();
    const { token: second = "" } = await refresh(first);
    const { token: third } = await refresh(second);
    const tolerated = await refresh(first);
    expect(tolerated.error).toBeNull();
    expect([first, second, third]).not.toContain(tolerated.token);
  });

  it("takes an older token after the interval for stolen: all tokens of the session are revoked", async () => {
    const { first } = await signedUp();
    const { token: second = "" } = await refresh(first);
    const { token: third = "" } = await refresh(second);
    backend.clock.advance(60_000);
    expect((await refresh(first)).error).toMatchObject({
      status: 400,
      code: "refresh_token_already_used",
      message: "Invalid Refresh Token: Already Used",
    });
    backend.clock.advance(60_000);
    expect((await refresh(third)).error?.code).toBe("refresh_token_already_used");
    backend.clock.reset();
  });

  it("answers many refreshes of one token at once with one successor", async () => {
    const { first } = await signedUp();
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(first)));
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
  });

  it("refuses a token that it never gave", async () => {
    expect((await refresh("abcdefghijkl")).error).toMatchObject({
      status: 400,
      code: "refresh_token_not_found",
      message: "Invalid Refresh Token: Refresh Token Not Found",
    });
  });

  it("refuses a session that was idle too long", async () => {
    const { first } = await signedUp();
    backend.clock.advance(9 * 3_600_000);
    expect((await refresh(first)).error).toMatchObject({
      code: "session_expired",
      message: "Invalid Refresh Token: Session Expired (Inactivity)",
    });
    backend.clock.reset();
  });
});

describe("sign-out", () => {
  it.each([
    ["local", [false, true]],
    ["others", [true, false]],
    ["global", [false, false]],
  ] as const)("of scope %s ends the sessions it names", async (scope, alive) => {
    const { client, email } = await signedUp();
    const other = clientOf(backend);
    const { data } = await other.auth.signInWithPassword({ email, password: PASSWORD });
    const { data: own } = await client.auth.getSession();
    expect((await client.auth.signOut({ scope })).error).toBeNull();
    const works = async (token = "") => (await clientOf(backend).auth.getUser(token)).error === null;
    expect([await works(own.session?.access_token), await works(data.session?.access_token)]).toEqual(alive);
  });

  it("leaves an access token of an ended session without a user: session_not_found", async () => {
    const { session } = await signedUp();
    await backend.sql("delete from auth.sessions");
    const response = await fetch(`${backend.url}/auth/v1/user`, {
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${session.access_token}` },
    });
    expect(response.status).toBe(403);
    expect(response.headers.get("x-sb-error-code")).toBe("session_not_found");
    expect(await response.json()).toEqual({
      code: 403,
      error_code: "session_not_found",
      msg: "Session from session_id claim in JWT does not exist",
    });
  });
});

describe("levels", () => {
  const user = (authorization?: string, key = backend.publishableKey) =>
    fetch(`${backend.url}/auth/v1/user`, {
      headers: { apikey: key, ...(authorization ? { authorization } : {}) },
    });

  it("refuses the publishable key where a user is needed: missing sub claim", async () => {
    const response = await user();
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error_code: "bad_jwt",
      msg: "invalid claim: missing sub claim",
    });
  });

  it("refuses an expired token", async () => {
    const { session } = await signedUp();
    backend.clock.advance(2 * 3_600_000);
    const body = await (await user(`Bearer ${session.access_token}`)).json();
    backend.clock.reset();
    expect(body).toMatchObject({
      error_code: "bad_jwt",
      msg: "invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired",
    });
  });

  it("refuses administration to a user: not_admin", async () => {
    const { session } = await signedUp();
    const response = await fetch(`${backend.url}/auth/v1/admin/users`, {
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${session.access_token}` },
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: "not_admin", msg: "User not allowed" });
  });
});
