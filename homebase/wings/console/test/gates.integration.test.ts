/** Where each service's requests stop, drawn from the records of real requests. */
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectWith } from "../../../test/background/project.ts";
import { PROJECT } from "../../../test/explain/project.ts";
import { createBackend, type TestBackend } from "../../testing.ts";
import { gatesOf, outcomeOf, stripOf } from "../server/gates.ts";
import { rowOf } from "../server/request-lines.ts";

/** Refuses whoever has an email that begins with "no". */
const HOOK = `create function public.token_hook(event jsonb) returns jsonb language plpgsql as $$ begin
  if event->'claims'->>'email' like 'no%' then
    return jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Not you'));
  end if;
  if event->'claims'->>'email' like 'full%' then raise exception 'no seat left'; end if;
  return event;
end $$;
grant execute on function public.token_hook to supabase_auth_admin;`;
let backend: TestBackend;
let ana = "";

beforeAll(async () => {
  const folder = projectWith(
    '[functions.open]\nverify_jwt = false\n[auth]\nsite_url = "http://127.0.0.1:3000"\n[auth.hook.custom_access_token]\nenabled = true\nuri = "pg-functions://postgres/public/token_hook"\n',
    {
      "20260101000000_notes.sql": `${PROJECT}\ncreate function public.refuses() returns void language plpgsql stable as $$ begin raise exception 'Closed'; end $$;
create function public.signed_in_only() returns void language plpgsql stable as $$ begin raise exception 'Sign in' using errcode = '28000'; end $$;
create function public.waits() returns void language plpgsql stable as $$ begin raise exception 'too long' using errcode = '57014'; end $$;
create table public.vault (id int); revoke all on public.vault from anon, authenticated;
${HOOK}`,
    },
    {
      hello: "Deno.serve(() => new Response('hi'));",
      throws: "Deno.serve(() => { throw new Error('no'); });",
      fails: "Deno.serve(() => Response.json({ error: 'sync failed' }, { status: 500 }));",
      refuses: "Deno.serve(() => Response.json({ code: 'NOT_FOUND' }, { status: 404 }));",
    },
  );
  backend = await createBackend({ projectFolder: folder });
  const { data, error } = await createClient(backend.url, backend.publishableKey).auth.signUp({
    email: "eve@example.com",
    password: "correct horse battery",
  });
  if (error) throw error;
  ana = data.session?.access_token ?? "";
});
afterAll(() => backend.drop());

/** Sends a request. @returns its strip, its outcome, and the gate that shut with its text. */
async function asked(
  path: string,
  {
    token = ana,
    apikey = backend.publishableKey,
    ...init
  }: RequestInit & { token?: string; apikey?: string } = {},
) {
  const response = await fetch(backend.url + path, {
    ...init,
    headers: {
      ...(apikey === "" ? {} : { apikey }),
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(typeof init.body === "string" ? { "content-type": "application/json" } : {}),
      ...init.headers,
    },
  });
  await response.arrayBuffer();
  const record = backend.requests().at(-1);
  if (!record) throw new Error("Nothing was recorded.");
  const gates = gatesOf(record);
  const shut = gates.find(({ mark }) => mark === "shut");
  const { outcome, mark } = outcomeOf(record, gates);
  return [stripOf(gates), record.status, outcome, mark, shut && `${shut.name}: ${shut.text}`];
}

const claimsIn = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) });

describe("REST", () => {
  test("a name is read without its escapes, but for marks that could hide another one", async () => {
    for (const [path, name] of [
      ["a%20table%20%C3%BC", "a table ü"],
      ["%E2%80%AEgnp", "%E2%80%AEgnp"],
      ["100%", "100%"],
    ]) {
      await asked(`/rest/v1/${path}?select=id`);
      const record = backend.requests().at(-1);
      expect(record && rowOf(record).name).toBe(name);
    }
  });

  test("a request without a key stops at the key", async () => {
    expect(await asked("/rest/v1/notes", { apikey: "", token: "" })).toEqual([
      "s",
      401,
      "key",
      "shut",
      "Key: No API key found in request",
    ]);
    expect(await asked("/rest/v1/notes", { apikey: "wrong", token: "" })).toEqual([
      "s",
      401,
      "key",
      "shut",
      "Key: Invalid API key",
    ]);
  });

  test("a bad token stops at the token", async () => {
    expect(await asked("/rest/v1/notes", { token: "a.b.c" })).toEqual([
      "os",
      401,
      "token",
      "shut",
      expect.stringMatching(/^Token: /),
    ]);
  });

  test("a table without a grant stops at the grant", async () => {
    expect(await asked("/rest/v1/vault")).toEqual([
      "oos",
      403,
      "grant",
      "shut",
      "Grant: permission denied for table vault",
    ]);
  });

  test("a refused row stops at the policy", async () => {
    expect(await asked("/rest/v1/notes", post({ id: 9, team_id: 1 }))).toEqual([
      "ooos",
      403,
      "policy",
      "shut",
      'Policy: new row violates row-level security policy for table "notes"',
    ]);
  });

  test("an empty list is empty, and nobody asked the policy", async () => {
    expect(await asked("/rest/v1/notes")).toEqual(["ooo?o", 200, "empty", "part", undefined]);
  });

  test("another number of rows than was asked for stops at the rows", async () => {
    const headers = { accept: "application/vnd.pgrst.object+json" };
    expect(await asked("/rest/v1/notes?id=eq.1", { headers })).toEqual([
      "ooo?s",
      406,
      "rows",
      "shut",
      expect.stringMatching(/^Rows: /),
    ]);
  });

  test("rows are counted, and a secret key is not subject to policies", async () => {
    expect(await asked("/rest/v1/notes", { apikey: backend.secretKey, token: "" })).toEqual([
      "ooooo",
      200,
      "4 rows",
      "open",
      undefined,
    ]);
    expect(await asked("/rest/v1/tags", { token: "" })).toEqual([
      "oos",
      401,
      "grant",
      "shut",
      expect.any(String),
    ]);
  });

  test("a write that was let in has passed its policy", async () => {
    expect(await asked("/rest/v1/audit", post({ id: 7, what: "x" }))).toEqual([
      "ooooo",
      201,
      "1 row",
      "open",
      undefined,
    ]);
  });

  test("a write that changed nothing is empty", async () => {
    expect(await asked("/rest/v1/notes?id=eq.1", { ...post({ title: "x" }), method: "PATCH" })).toEqual([
      "ooo?o",
      204,
      "empty",
      "part",
      undefined,
    ]);
  });

  test("an unknown table and a constraint stop at the rows, and say how far they are known to have come", async () => {
    expect((await asked("/rest/v1/nothing")).slice(0, 3)).toEqual(["oo??s", 404, "name"]);
    expect(
      (
        await asked("/rest/v1/tags", { ...post({ id: 1, label: "b" }), apikey: backend.secretKey, token: "" })
      ).slice(0, 3),
    ).toEqual(["ooo?s", 409, "constraint"]);
    const schema = { headers: { "accept-profile": "inventory" } };
    const outcomes = [
      await asked("/rest/v1/notes?select=nope"),
      await asked("/rest/v1/notes", schema),
      await asked("/rest/v1/rpc/nothing"),
      await asked("/rest/v1/notes?id=eq.x"),
      await asked("/rest/v1/notes?id=nonsense"),
      await asked("/rest/v1/rpc/refuses"),
      await asked("/rest/v1/rpc/signed_in_only"),
      await asked("/rest/v1/rpc/waits"),
    ].map(([, status, outcome]) => [status, outcome]);
    expect(outcomes).toEqual([
      [400, "name"],
      [406, "name"],
      [404, "name"],
      [400, "value"],
      [400, "request"],
      [400, "exception"],
      [403, "error"],
      [500, "timeout"],
    ]);
  });
});

describe("Storage", () => {
  test("a bucket that is not there stops at the bucket", async () => {
    expect(await asked("/storage/v1/object/none/a.txt", { method: "POST", body: new Blob(["a"]) })).toEqual([
      "os",
      400,
      "bucket",
      "shut",
      "Bucket: Bucket not found",
    ]);
  });

  test("an upload without a policy, a bad token and a missing file stop where they do", async () => {
    await createClient(backend.url, backend.secretKey).storage.createBucket("photos");
    expect(await asked("/storage/v1/object/photos/a.txt", { method: "POST", body: new Blob(["a"]) })).toEqual(
      ["oos", 400, "policy", "shut", "Policy: new row violates row-level security policy"],
    );
    const upload = { method: "POST", body: new Blob(["a"]), token: "a.b.c" };
    expect((await asked("/storage/v1/object/photos/a.txt", upload)).slice(0, 3)).toEqual(["s", 400, "token"]);
    expect(await asked("/storage/v1/object/photos/a.txt")).toEqual([
      "o??s",
      400,
      "file",
      "shut",
      "File: Object not found",
    ]);
  });
});

describe("Auth", () => {
  test("a sign-up that a hook refuses stops at the hook", async () => {
    const email = "nobody@example.com";
    expect(
      await asked("/auth/v1/signup", { ...post({ email, password: "correct horse" }), token: "" }),
    ).toEqual([...["ooos", 403, "hook", "shut", "Hook: Not you"]]);
  });

  test("one whose hook fails stops at the hook, too", async () => {
    const body = post({ email: "full@example.com", password: "correct horse" });
    expect(await asked("/auth/v1/signup", { ...body, token: "" })).toEqual([
      ...["ooos", 500, "hook", "shut", "Hook: no seat left"],
    ]);
  });

  test("a path that Auth does not know stops at no hook", async () => {
    const [, status, outcome] = await asked("/auth/v1/nothing");
    expect([status, outcome]).toEqual([404, "session"]);
  });

  const signIn = (password: string) =>
    asked("/auth/v1/token?grant_type=password", {
      token: "",
      ...post({ email: "eve@example.com", password }),
    });

  test("a wrong password stops at the proof", async () => {
    expect(await signIn("wrong")).toEqual(["oos", 400, "proof", "shut", "Proof: Invalid login credentials"]);
  });

  test("a sign-in passes all gates", async () => {
    expect(await signIn("correct horse battery")).toEqual(["ooooo", 200, "", "open", undefined]);
  });

  test("a bad token of a user stops at the session, and a limit was not asked", async () => {
    expect((await asked("/auth/v1/user", { token: "a.b.c" })).slice(0, 3)).toEqual(["o???s", 403, "session"]);
  });
});

describe("Functions", () => {
  test("that is not there says so", async () => {
    expect(await asked("/functions/v1/nothing")).toEqual([
      ...["?s", 404, "start", "shut", "Start: Requested function was not found"],
    ]);
  });

  test("without a token it stops at the token, and one that is not there at its start", async () => {
    expect((await asked("/functions/v1/hello", { token: "", apikey: "" })).slice(0, 3)).toEqual([
      "s",
      401,
      "token",
    ]);
    // A function is looked for before its token is.
    expect((await asked("/functions/v1/none")).slice(0, 3)).toEqual(["?s", 404, "start"]);
  });

  test("one that throws stops at its code", async () => {
    expect((await asked("/functions/v1/throws")).slice(0, 4)).toEqual(["oos", 500, "code", "shut"]);
    expect(await asked("/functions/v1/fails")).toEqual(["oos", 500, "code", "shut", "Code: answered 500"]);
  });

  test("one that answers passes, and what its own code answers is no gate of the platform", async () => {
    expect(await asked("/functions/v1/hello")).toEqual(["ooo", 200, "", "open", undefined]);
    expect(await asked("/functions/v1/refuses")).toEqual(["ooo", 404, "", "part", undefined]);
  });
});

test("whose a request was is known where no statement ran, and of a sign-in whose session it began", async () => {
  const of = async (path: string, init: Parameters<typeof asked>[1] = {}) => {
    await asked(path, init);
    const [record] = backend.backend.requests.list({ limit: 1, callers: true }).records;
    return record && rowOf(record).who;
  };
  const key = { token: "" };
  const secret = { token: "", apikey: backend.secretKey };
  const wrong = { ...post({ email: "eve@example.com", password: "wrong" }), token: "" };
  const expired = { token: await backend.backend.keys.sign({ ...claimsIn(ana), exp: 1_700_000_000 }) };
  const broadcast = post({ messages: [] });
  expect({
    function: await of("/functions/v1/hello"),
    "function that is not there": await of("/functions/v1/none"),
    auth: await of("/auth/v1/user"),
    "unknown table": await of("/rest/v1/nothing"),
    "private broadcast": await of("/realtime/v1/api/broadcast", broadcast),
    "sign-in": await of("/auth/v1/token?grant_type=password", {
      ...post({ email: "eve@example.com", password: "correct horse battery" }),
      token: "",
    }),
    "wrong password": await of("/auth/v1/token?grant_type=password", wrong),
    "bad token": await of("/auth/v1/user", { token: "a.b.c" }),
  }).toEqual({
    function: "eve@…",
    "function that is not there": undefined,
    auth: "eve@…",
    "unknown table": "eve@…",
    "private broadcast": "eve@…",
    "sign-in": "eve@…",
    "wrong password": "anon",
    "bad token": undefined,
  });
  expect({
    "unknown table": await of("/rest/v1/nothing", key),
    "unknown table with the secret key": await of("/rest/v1/nothing", secret),
    function: await of("/functions/v1/hello", key),
    "function that is not there": await of("/functions/v1/none", key),
    "private broadcast": await of("/realtime/v1/api/broadcast", { ...broadcast, ...key }),
    "broadcast with the secret key": await of("/realtime/v1/api/broadcast", { ...broadcast, ...secret }),
    "no such bucket": await of("/storage/v1/object/none/a.txt", key),
    users: await of("/auth/v1/admin/users", secret),
    "legacy key as both": await of("/auth/v1/settings", {
      token: backend.backend.keys.anonKey,
      apikey: backend.backend.keys.anonKey,
    }),
    "secret key of a browser": await of("/rest/v1/notes", {
      ...secret,
      headers: { "user-agent": "Mozilla/5.0" },
    }),
  }).toEqual({
    "unknown table": "anon",
    "unknown table with the secret key": "secret",
    function: "anon",
    "function that is not there": "anon",
    "private broadcast": "anon",
    "broadcast with the secret key": "secret",
    "no such bucket": "anon",
    users: "secret",
    "legacy key as both": "anon",
    "secret key of a browser": "secret",
  });
  // An expired token's signature is valid, so that it says whose it was; other refused ones say nothing.
  const [header = "", , signature = ""] = ana.split(".");
  const changed = {
    token: [
      header,
      Buffer.from(JSON.stringify({ ...claimsIn(ana), email: "ben@example.com" })).toString("base64url"),
      signature,
    ].join("."),
  };
  expect({
    rest: await of("/rest/v1/notes", expired),
    auth: await of("/auth/v1/user", expired),
    storage: await of("/storage/v1/object/list/none", { ...post({ prefix: "" }), ...expired }),
    function: await of("/functions/v1/hello", expired),
    broadcast: await of("/realtime/v1/api/broadcast", { ...broadcast, ...expired }),
    "changed, to REST": await of("/rest/v1/notes", changed),
    "changed, to Auth": await of("/auth/v1/user", changed),
    "no key": await of("/rest/v1/notes", { apikey: "", token: "" }),
    "bad key beside a token": await of("/rest/v1/notes", { apikey: "wrong" }),
  }).toEqual({
    rest: "eve@…",
    auth: "eve@…",
    storage: "eve@…",
    function: "eve@…",
    broadcast: "eve@…",
    "changed, to REST": undefined,
    "changed, to Auth": undefined,
    "no key": undefined,
    "bad key beside a token": undefined,
  });
});

test("a path without a service has no gates", async () => {
  expect(await asked("/nowhere")).toEqual(["", 404, "", "shut", undefined]);
});
