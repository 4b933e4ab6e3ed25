/**
 * Signing in by SAML with supabase-js, and samlify as the identity provider (docs/compat/auth.md 1, "SAML";
 * supabase/auth, internal/api/sso.go, samlacs.go).
 */
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { adminOf, clientOf, fragmentOf, PASSWORD } from "../../../test/auth/client.ts";
import { SamlIdentityProvider } from "./identity-provider.ts";
import { APP, admin, connect, EMAIL_ATTRIBUTE, post, SITE, samlBackend } from "./project.ts";

const MINUTE = 60_000;

const [backend, provider] = await Promise.all([samlBackend(), SamlIdentityProvider.open()]);
const id = await connect(backend, provider, {
  domains: ["example.com"],
  attribute_mapping: {
    keys: {
      name: { name: "displayName" },
      team: { names: ["missing", "department"], default: "none" },
      level: { name: "missing", default: 3 },
      groups: { name: "memberOf", array: true },
    },
  },
});
afterAll(async () => {
  await backend.drop();
  await provider?.close();
});

const mail = (address: string) => ({ [EMAIL_ATTRIBUTE]: [address] });

/** Starts a sign-in with supabase-js. @returns the address of the identity provider. */
async function start(pkce = false, options: Record<string, string> = { redirectTo: APP }) {
  const client = clientOf(backend, { pkce });
  const { data, error } = await client.auth.signInWithSSO({ domain: "example.com", options });
  if (error) throw error;
  return { client, url: data?.url ?? "" };
}

const sso = (body: unknown) =>
  fetch(`${backend.url}/auth/v1/sso`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: JSON.stringify(body),
    redirect: "manual",
  });

describe("a sign-in that the app starts", () => {
  it("sends a signed request that the identity provider accepts, with a NameID policy", async () => {
    const { url } = await start();
    await provider.visit(url);
    expect(provider.requests.at(-1)).toEqual({
      id: expect.stringMatching(/^id-[0-9a-f]{40}$/),
      issuer: `${backend.url}/auth/v1/sso/saml/metadata`,
      acs: `${backend.url}/auth/v1/sso/saml/acs`,
      nameIdFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    });
    const forged = url.replace(/RelayState=[^&]*/, `RelayState=${crypto.randomUUID()}`);
    await expect(provider.visit(forged)).rejects.toThrow("SIGNATURE");
  });

  it("ends with tokens in the fragment, a user of its own, and the mapped attributes", async () => {
    const { url } = await start();
    provider.statement = {
      nameId: "ada-1",
      attributes: {
        ...mail("Ada@example.com"),
        displayName: ["Ada"],
        department: ["Sales"],
        memberOf: ["a", "b"],
      },
    };
    const done = await post(backend, await provider.visit(url));
    expect(`${done.origin}${done.pathname}`).toBe(APP);
    const session = fragmentOf(done);
    const claims = decodeJwt(session.get("access_token") ?? "");
    expect(claims).toMatchObject({
      email: "ada@example.com",
      aal: "aal1",
      amr: [{ method: "sso/saml", provider: id }],
      app_metadata: { provider: `sso:${id}`, providers: [`sso:${id}`] },
    });
    const { data } = await adminOf(backend).auth.admin.getUserById(String(claims.sub));
    const about = {
      iss: provider.entityId,
      sub: "ada-1",
      name: "Ada",
      email: "ada@example.com",
      email_verified: true,
      phone_verified: false,
      custom_claims: { team: "Sales", level: 3, groups: ["a", "b"] },
    };
    expect(data.user).toMatchObject({
      email: "ada@example.com",
      email_confirmed_at: expect.any(String),
      user_metadata: about,
      identities: [{ provider: `sso:${id}`, id: "ada-1", identity_data: about }],
    });
    expect(data.user?.identities?.[0]?.identity_data).toEqual(about);
    const rows = await backend.sql("select is_sso_user from auth.users where id = $1", [claims.sub]);
    expect(rows).toEqual([{ is_sso_user: true }]);
  });

  it("keeps the method through a refresh, and the user's address out of the user's hands", async () => {
    const { client, url } = await start();
    provider.statement = { nameId: "bea-1", attributes: mail("bea@example.com") };
    const session = fragmentOf(await post(backend, await provider.visit(url)));
    await client.auth.setSession({
      access_token: session.get("access_token") ?? "",
      refresh_token: session.get("refresh_token") ?? "",
    });
    const { data } = await client.auth.refreshSession();
    expect(decodeJwt(data.session?.access_token ?? "").amr).toMatchObject([
      { method: "sso/saml", provider: id },
    ]);
    const { error } = await client.auth.updateUser({ password: PASSWORD });
    expect(error?.code).toBe("user_sso_managed");
  });

  it("with PKCE ends with a code that only its own client exchanges, once", async () => {
    const { client, url } = await start(true);
    provider.statement = { nameId: "cy-1", attributes: mail("cy@example.com") };
    const done = await post(backend, await provider.visit(url));
    expect(done.hash).toBe("");
    const code = done.searchParams.get("code") ?? "";
    const other = await start(true);
    expect((await other.client.auth.exchangeCodeForSession(code)).error?.code).toBe("bad_code_verifier");
    const { data, error } = await client.auth.exchangeCodeForSession(code);
    expect(error).toBeNull();
    expect(data.user?.email).toBe("cy@example.com");
    expect(decodeJwt(data.session?.access_token ?? "").amr).toMatchObject([
      { method: "sso/saml", provider: id },
    ]);
    expect((await client.auth.exchangeCodeForSession(code)).error).not.toBeNull();
  });

  it("redirects by itself without skip_http_redirect, and leads to the site when the target is not allowed", async () => {
    const response = await sso({ provider_id: id, redirect_to: "https://evil.example/" });
    expect(response.status).toBe(303);
    provider.statement = { nameId: "di-1", attributes: mail("di@example.com") };
    const done = await post(backend, await provider.visit(response.headers.get("location") ?? ""));
    expect(done.origin).toBe(SITE);
    expect(fragmentOf(done).get("access_token")).not.toBeNull();
  });

  it("asks for the connection's name id format", async () => {
    const format = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
    await admin(backend, "PUT", `/${id}`, { name_id_format: format });
    const { url } = await start();
    provider.statement = { nameId: "Eli@Example.com", nameIdFormat: format };
    const done = await post(backend, await provider.visit(url));
    expect(provider.requests.at(-1)?.nameIdFormat).toBe(format);
    const { sub, email } = decodeJwt(fragmentOf(done).get("access_token") ?? "");
    expect(email).toBe("eli@example.com");
    const [identity] = await backend.sql("select provider_id from auth.identities where user_id = $1", [sub]);
    expect(identity).toEqual({ provider_id: "eli@example.com" });
    await admin(backend, "PUT", `/${id}`, {});
  });

  it("ends the session when the provider says so", async () => {
    const { client, url } = await start();
    const sessionEnd = new Date(Date.now() + 30 * MINUTE);
    provider.statement = { nameId: "fay-1", attributes: mail("fay@example.com"), sessionEnd };
    const session = fragmentOf(await post(backend, await provider.visit(url)));
    const refresh = { refresh_token: session.get("refresh_token") ?? "" };
    const first = await client.auth.refreshSession(refresh);
    expect(first.error).toBeNull();
    backend.clock.advance(31 * MINUTE);
    const late = await client.auth.refreshSession({ refresh_token: first.data.session?.refresh_token ?? "" });
    expect(late.error?.code).toBe("session_expired");
    backend.clock.reset();
  });

  it("tells what is wrong with the request", async () => {
    const code = async (body: unknown) => {
      const response = await sso(body);
      const { error_code, msg } = (await response.json()) as { error_code: string; msg: string };
      return [response.status, error_code, msg];
    };
    expect(await code({})).toEqual([
      400,
      "validation_failed",
      "A provider_id or domain needs to be provided",
    ]);
    expect(await code({ provider_id: id, domain: "example.com" })).toEqual([
      400,
      "validation_failed",
      "Only one of provider_id or domain supported",
    ]);
    expect(await code({ provider_id: crypto.randomUUID() })).toEqual([
      404,
      "sso_provider_not_found",
      "No such SSO provider",
    ]);
    expect(await code({ domain: "example.org" })).toEqual([
      404,
      "sso_provider_not_found",
      "No SSO provider assigned for this domain",
    ]);
    expect((await code({ provider_id: "not-a-uuid" }))[1]).toBe("bad_json");
    expect(
      (await code({ domain: "example.com", code_challenge: "short", code_challenge_method: "s256" }))[1],
    ).toBe("validation_failed");
  });

  it("is refused while the connection is disabled, also when it was started before", async () => {
    const { url } = await start();
    provider.statement = { nameId: "ada-1", attributes: mail("ada@example.com") };
    const posted = await provider.visit(url);
    await admin(backend, "PUT", `/${id}`, { disabled: true });
    const { error } = await clientOf(backend).auth.signInWithSSO({ domain: "example.com" });
    expect(error?.code).toBe("sso_provider_disabled");
    expect((await post(backend, posted)).searchParams.get("error_code")).toBe("sso_provider_disabled");
    await admin(backend, "PUT", `/${id}`, { disabled: false });
  });
});

describe("a sign-in that the identity provider starts", () => {
  it("leads to the RelayState if it is an allowed address, else to the site", async () => {
    const statement = { nameId: "gus-1", attributes: mail("gus@example.com") };
    const there = await post(backend, await provider.unsolicited(statement, APP));
    expect(`${there.origin}${there.pathname}`).toBe(APP);
    const home = await post(backend, await provider.unsolicited(statement, "https://evil.example/"));
    expect(home.origin).toBe(SITE);
    const plain = await post(backend, await provider.unsolicited(statement));
    const { sub } = decodeJwt(fragmentOf(plain).get("access_token") ?? "");
    expect(sub).toBe(decodeJwt(fragmentOf(there).get("access_token") ?? "").sub);
  });

  it("needs a connection, a RelayState that is an address, and a response", async () => {
    const code = async (posted: Parameters<typeof post>[1]) => {
      const { searchParams, origin } = await post(backend, posted);
      expect(origin).toBe(SITE);
      return [searchParams.get("error_code"), searchParams.get("error_description")];
    };
    const posted = await provider.unsolicited({ nameId: "hal-1", issuer: "https://unknown.example" });
    expect((await code(posted))[0]).toBe("saml_idp_not_found");
    expect(await code({ ...posted, RelayState: "not an address" })).toEqual([
      "validation_failed",
      "SAML RelayState is not a valid UUID or URL",
    ]);
    expect(await code({})).toEqual(["validation_failed", "SAMLResponse is missing"]);
    const artifact = { SAMLart: "AAQAAA" } as never;
    expect(await code(artifact)).toEqual([
      "validation_failed",
      "SAML Artifact response can only be used with SP initiated flow",
    ]);
    const RelayState = new URL((await start()).url).searchParams.get("RelayState") ?? "";
    expect((await code({ ...(artifact as object), RelayState }))[0]).toBe("not_implemented");
    expect(await code({ SAMLResponse: "%%%" })).toEqual([
      "validation_failed",
      "SAMLResponse is not a valid Base64 string",
    ]);
    expect(await code({ SAMLResponse: Buffer.from("<a").toString("base64") })).toEqual([
      "validation_failed",
      "SAMLResponse is not a valid XML SAML assertion",
    ]);
  });
});

describe("users", () => {
  it("are not linked by address to users of other providers, in either direction", async () => {
    const { data } = await clientOf(backend).auth.signUp({ email: "ida@example.com", password: PASSWORD });
    const statement = { nameId: "ida-1", attributes: mail("ida@example.com") };
    const done = await post(backend, await provider.unsolicited(statement));
    const { sub } = decodeJwt(fragmentOf(done).get("access_token") ?? "");
    expect(sub).not.toBe(data.user?.id);
    const second = await SamlIdentityProvider.open();
    await connect(backend, second);
    const other = await post(backend, await second.unsolicited(statement));
    expect(decodeJwt(fragmentOf(other).get("access_token") ?? "").sub).not.toBe(sub);
    await second.close();
    const users = await backend.sql(
      "select is_sso_user, count(*)::int from auth.users where email = 'ida@example.com' group by 1 order by 1",
    );
    expect(users).toEqual([
      { is_sso_user: false, count: 1 },
      { is_sso_user: true, count: 2 },
    ]);
    const signedIn = await clientOf(backend).auth.signInWithPassword({
      email: "ida@example.com",
      password: PASSWORD,
    });
    expect(signedIn.data.user?.id).toBe(data.user?.id);
  });

  it("are one user with two ids when one connection names the same address, as upstream", async () => {
    const subject = async (nameId: string) => {
      const attributes = mail("jan@example.com");
      const done = await post(backend, await provider.unsolicited({ nameId, attributes }));
      return decodeJwt(fragmentOf(done).get("access_token") ?? "").sub;
    };
    const first = await subject("jan-1");
    expect(await subject("jan-2")).toBe(first);
    const ids = await backend.sql(
      "select provider_id, provider from auth.identities where user_id = $1 order by 1",
      [first],
    );
    expect(ids).toEqual([
      { provider_id: "jan-1", provider: `sso:${id}` },
      { provider_id: "jan-2", provider: `sso:${id}` },
    ]);
  });

  it("follow the provider's data: a new address and name replace the old ones in their data", async () => {
    const say = async (name: string) =>
      decodeJwt(
        fragmentOf(
          await post(
            backend,
            await provider.unsolicited({
              nameId: "joy-1",
              attributes: { ...mail("joy@example.com"), displayName: [name] },
            }),
          ),
        ).get("access_token") ?? "",
      );
    const before = await say("Joy");
    const after = await say("Joy Lee");
    expect(after.sub).toBe(before.sub);
    expect(after.user_metadata).toMatchObject({ name: "Joy Lee" });
  });

  it("need a lasting id and an address", async () => {
    const code = async (statement: Parameters<typeof provider.unsolicited>[0]) =>
      (await post(backend, await provider.unsolicited(statement))).searchParams.get("error_code");
    const transient = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    const attributes = mail("kim@example.com");
    expect(await code({ nameId: "x", nameIdFormat: transient, attributes })).toBe(
      "saml_assertion_no_user_id",
    );
    expect(await code({ nameId: "kim-1" })).toBe("saml_assertion_no_email");
    const subject = { "urn:oasis:names:tc:SAML:attribute:subject-id": ["kim-1"] };
    expect(
      await code({ nameId: "x", nameIdFormat: transient, attributes: { ...attributes, ...subject } }),
    ).toBeNull();
  });

  it("see a comment in their id as nothing, so that it cannot cut the id short", async () => {
    const nameIdXml = "lou@example.com<!-- -->.evil.example";
    const format = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
    const done = await post(backend, await provider.unsolicited({ nameIdXml, nameIdFormat: format }));
    expect(decodeJwt(fragmentOf(done).get("access_token") ?? "").email).toBe("lou@example.com.evil.example");
  });
});
