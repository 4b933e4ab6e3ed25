/** Applications registered with the OAuth server (docs/compat/auth.md 1, "OAuth server"). */
import { describe, expect, it } from "vitest";
import { adminOf } from "../../../test/auth/client.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { authBackend } from "../../testing.ts";

const BACK = "https://tool.example/back";

const backend = await forThisFile(
  authBackend({ oauth_server: { enabled: true, allow_dynamic_registration: true } }),
);

const api = () => adminOf(backend).auth.admin.oauth;
const call = async (
  path: string,
  init: { method?: string; body?: unknown; headers?: Record<string, string> } = {},
) => {
  const response = await fetch(`${backend.url}/auth/v1/${path}`, {
    method: init.method ?? "GET",
    headers: { apikey: backend.publishableKey, ...init.headers },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
};

describe("an administrator", () => {
  it("registers, reads, changes and removes a client", async () => {
    const made = await api().createClient({ client_name: "Tool", redirect_uris: [BACK] });
    expect(made.error).toBeNull();
    const id = made.data?.client_id ?? "";
    expect(made.data).toEqual({
      client_id: id,
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      client_type: "confidential",
      redirect_uris: [BACK],
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      client_name: "Tool",
      registration_type: "manual",
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const got = await api().getClient(id);
    expect(got.data).toMatchObject({ client_id: id });
    expect(got.data).not.toHaveProperty("client_secret");
    const changed = await api().updateClient(id, {
      client_name: "Renamed",
      client_uri: "https://tool.example",
      redirect_uris: [BACK, "http://localhost:4000/back"],
      token_endpoint_auth_method: "client_secret_post",
    });
    expect(changed.data).toMatchObject({
      client_name: "Renamed",
      client_uri: "https://tool.example",
      redirect_uris: [BACK, "http://localhost:4000/back"],
      token_endpoint_auth_method: "client_secret_post",
    });
    const listed = await api().listClients();
    expect(listed.data.clients.map((client) => client.client_id)).toEqual([id]);
    expect((await api().deleteClient(id)).error).toBeNull();
    expect((await api().getClient(id)).error).toMatchObject({ status: 404, code: "oauth_client_not_found" });
    // Its row is kept for the existing grants.
    expect(await backend.sql("select 1 as one from auth.oauth_clients where deleted_at is not null")).toEqual(
      [{ one: 1 }],
    );
  });

  it("gets a new secret, of which only the hash is kept, but none for a public client", async () => {
    const { data } = await api().createClient({ client_name: "Secretive", redirect_uris: [BACK] });
    const renewed = await api().regenerateClientSecret(data?.client_id ?? "");
    expect(renewed.data?.client_secret).toMatch(/^[\w-]{43}$/);
    expect(renewed.data?.client_secret).not.toBe(data?.client_secret);
    const rows = await backend.sql("select client_secret_hash as hash from auth.oauth_clients");
    expect(JSON.stringify(rows)).not.toContain(renewed.data?.client_secret);
    const open = await api().createClient({
      client_name: "Open",
      redirect_uris: [BACK],
      token_endpoint_auth_method: "none",
    });
    expect(open.data).toMatchObject({ client_type: "public", token_endpoint_auth_method: "none" });
    expect(open.data).not.toHaveProperty("client_secret");
    expect((await api().regenerateClientSecret(open.data?.client_id ?? "")).error).toMatchObject({
      status: 400,
      message: "Cannot regenerate secret for public client",
    });
  });

  it("is told what is wrong with a client", async () => {
    const faults: [Record<string, unknown>, string][] = [
      [{}, "400: redirect_uris is required"],
      [{ redirect_uris: Array<string>(11).fill(BACK) }, "400: redirect_uris cannot exceed 10 items"],
      [
        { redirect_uris: ["http://tool.example/back"] },
        "400: invalid redirect_uri 'http://tool.example/back': HTTP scheme only allowed for localhost",
      ],
      [
        { redirect_uris: [`${BACK}#part`] },
        `400: invalid redirect_uri '${BACK}#part': fragment not allowed in redirect URI`,
      ],
      [
        { redirect_uris: [BACK], grant_types: ["password"] },
        "400: grant_types must only contain 'authorization_code' and/or 'refresh_token'",
      ],
      [
        { redirect_uris: [BACK], client_name: "n".repeat(1025) },
        "400: client_name cannot exceed 1024 characters",
      ],
      [{ redirect_uris: [BACK], logo_uri: "no address" }, "400: logo_uri must be a valid URL"],
      [
        { redirect_uris: [BACK], client_type: "other" },
        "400: client_type must be 'public' or 'confidential'",
      ],
      [
        { redirect_uris: [BACK], token_endpoint_auth_method: "guess" },
        "400: token_endpoint_auth_method must be one of: [none client_secret_basic client_secret_post]",
      ],
      [
        { redirect_uris: [BACK], client_type: "public", token_endpoint_auth_method: "client_secret_post" },
        "400: client_type 'public' is inconsistent with token_endpoint_auth_method 'client_secret_post' (expected client_type 'confidential')",
      ],
    ];
    const headers = { apikey: backend.secretKey };
    for (const [body, msg] of faults) {
      expect(await call("admin/oauth/clients", { method: "POST", body, headers })).toMatchObject({
        status: 400,
        body: { error_code: "validation_failed", msg },
      });
    }
    const { data } = await api().createClient({ client_name: "Kept", redirect_uris: [BACK] });
    const path = `admin/oauth/clients/${data?.client_id}`;
    expect(await call(path, { method: "PUT", body: {}, headers })).toMatchObject({
      status: 400,
      body: { msg: "No fields provided for update" },
    });
    expect(await call(path, { method: "PUT", body: { redirect_uris: [] }, headers })).toMatchObject({
      status: 400,
      body: { msg: "redirect_uris cannot be empty" },
    });
    expect(await call("admin/oauth/clients/none", { headers })).toMatchObject({
      status: 400,
      body: { msg: "invalid client_id format" },
    });
  });

  it("is who alone may see them", async () => {
    expect(await call("admin/oauth/clients")).toMatchObject({
      status: 403,
      body: { error_code: "not_admin" },
    });
  });
});

describe("an application", () => {
  it("finds where to register, and registers itself", async () => {
    const { body } = await call(".well-known/oauth-authorization-server");
    const issuer = `${backend.url}/auth/v1`;
    expect(body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      registration_endpoint: `${issuer}/oauth/clients/register`,
    });
    const registered = await call("oauth/clients/register", {
      method: "POST",
      body: { redirect_uris: ["cursor://anysphere.cursor-mcp/back"] },
    });
    expect(registered).toMatchObject({ status: 201, body: { registration_type: "dynamic" } });
  });

  it("may not where that is off", async () => {
    const closed = await authBackend({ oauth_server: { enabled: true, allow_dynamic_registration: false } });
    try {
      const response = await fetch(`${closed.url}/auth/v1/oauth/clients/register`, {
        method: "POST",
        headers: { apikey: closed.publishableKey },
        body: JSON.stringify({ redirect_uris: [BACK] }),
      });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({
        error_code: "oauth_dynamic_client_registration_disabled",
      });
    } finally {
      await closed.drop();
    }
  });
});
