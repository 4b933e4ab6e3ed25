/** Tests that a user who is named by an address has the claims of a real token: beside one that Auth has issued. */
import { beforeAll, expect, test } from "vitest";
import { explain, sentenceTexts, tracing } from "../../src/explain/index.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import { createBackend } from "../../src/testing/index.ts";
import { askedBy } from "../../src/tools/asked.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";

const TABLES = `
create function public.claims(event jsonb) returns jsonb language sql stable as $$
  select jsonb_build_object('claims', event->'claims' || jsonb_build_object('user_role', 'editor')) $$;
grant execute on function public.claims to supabase_auth_admin;
create table public.drafts (id int primary key);
create table public.timely (id int primary key);
create table public.signed_in (id int primary key);
insert into public.drafts values (1);
insert into public.timely values (1);
insert into public.signed_in values (1);
grant all on all tables in schema public to anon, authenticated, service_role;
alter table public.drafts enable row level security;
alter table public.timely enable row level security;
alter table public.signed_in enable row level security;
create policy editors on public.drafts using (auth.jwt()->>'user_role' = 'editor');
create function public.is_fresh() returns boolean language plpgsql stable as $$
begin
  if auth.jwt()->>'exp' is null then raise exception 'no exp'; end if;
  return to_timestamp((auth.jwt()->>'exp')::int8) > now() and (auth.jwt()->'amr'->0->>'method') = 'password';
end $$;
create policy fresh on public.timely using (public.is_fresh());
create function public.has_session() returns boolean language sql stable security definer set search_path = ''
  as $$ select exists (select from auth.sessions s where s.id = (auth.jwt()->>'session_id')::uuid and s.user_id = auth.uid()) $$;
create policy sessions on public.signed_in using (public.has_session());
create function public.count_signed_in() returns int language plpgsql stable as
  $$ begin return (select count(*) from public.signed_in); end $$;
`;

const hook = { custom_access_token: { enabled: true, uri: "pg-functions://postgres/public/claims" } };
const backend = await forThisFile(createBackend({ bare: true, config: { auth: { hook } } }));
const db = await clientForThisFile(backend.databaseUrl);
const headers = { apikey: backend.publishableKey, "content-type": "application/json" };
const credentials = { email: "ana@example.com", password: "long-enough-for-all" };
let token = "";
beforeAll(async () => {
  await backend.sql(TABLES);
  const sign = (path: string) =>
    fetch(`${backend.url}/auth/v1/${path}`, { method: "POST", headers, body: JSON.stringify(credentials) });
  await sign("signup");
  const answer = (await (await sign("token?grant_type=password")).json()) as { access_token: string };
  token = answer.access_token;
});

async function told(path: string) {
  const asked = await askedBy(
    db,
    { method: "GET", path: `/rest/v1/${path}`, as: credentials.email },
    backend.config,
  );
  const withTrace = tracing(() => explainLogin(backend.database));
  return { asked, text: sentenceTexts(await explain(db, asked, { withTrace })).join("\n") };
}

async function got(path: string): Promise<unknown> {
  const response = await fetch(`${backend.url}/rest/v1/${path}`, {
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  return response.json();
}

test("the claims are those of the newest session's token, times apart", async () => {
  const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  const { asked } = await told("drafts");
  const any = expect.any(Number);
  expect({ ...asked.claims, iat: 0, exp: 0, iss: "" }).toEqual({
    ...(claims as object),
    iat: 0,
    exp: 0,
    iss: "",
    amr: [{ method: "password", timestamp: any }],
  });
  expect(asked.claims).toMatchObject({
    user_role: "editor",
    iat: any,
    exp: any,
    iss: expect.stringMatching(/\/auth\/v1$/),
  });
});

test.each(["drafts", "timely", "signed_in"])(
  "policies that read them decide as for %s's real request",
  async (table) => {
    expect(await got(table)).toEqual([{ id: 1 }]);
    expect((await told(table)).text).toBe(
      `Visible: row security lets authenticated see 1 of 1 row of ${table}.`,
    );
  },
);

test("a user without a session has one for as long as the explanation takes", async () => {
  await backend.sql("delete from auth.sessions");
  expect((await told("signed_in")).text).toBe(
    "Visible: row security lets authenticated see 1 of 1 row of signed_in.",
  );
  expect((await told("rpc/count_signed_in")).text).toBe(
    "Row security hides nothing from the statements inside.",
  );
  expect((await db.query("select from auth.sessions")).rowCount).toBe(0);
});

test("a hook that is an address is not called, and that is said", async () => {
  const { config } = backend;
  const uri = "http://127.0.0.1:1/hook";
  const other = {
    ...config,
    auth: {
      ...config.auth,
      hook: { ...config.auth.hook, custom_access_token: { enabled: true, uri, secrets: "" } },
    },
  };
  const asked = await askedBy(db, { method: "GET", path: "/rest/v1/drafts", as: credentials.email }, other);
  const sentences = sentenceTexts(await explain(db, asked));
  expect(sentences.at(-1)).toContain("is not called");
  expect(sentences.join("\n")).toContain("the token has no claim user_role");
});

test("a hook that refuses the user is told", async () => {
  await backend.sql(`create or replace function public.claims(event jsonb) returns jsonb language sql stable as
    $$ select '{"error": {"http_code": 403, "message": "not today"}}'::jsonb $$`);
  await expect(told("drafts")).rejects.toThrow(
    'The token\'s hook "public"."claims" gives no token: not today.',
  );
});
