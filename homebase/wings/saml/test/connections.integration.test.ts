/**
 * Administrators' connections to identity providers, the service provider's metadata, and metadata from an
 * address (docs/compat/auth.md 1, "SAML"; supabase/auth, internal/api/ssoadmin.go, saml.go, sso_test.go).
 */
import { X509Certificate } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf, fragmentOf } from "../../../test/auth/client.ts";
import { selfSigned } from "../../hosted/database/certificate.ts";
import { authBackend } from "../../testing.ts";
import { SamlIdentityProvider } from "./identity-provider.ts";
import { admin, connect, EMAIL_ATTRIBUTE, post, samlBackend } from "./project.ts";

const DAY = 24 * 60 * 60 * 1_000;

const [backend, provider] = await Promise.all([samlBackend(), SamlIdentityProvider.open()]);
beforeAll(async () => {
  provider.serviceMetadata = await (await fetch(`${backend.url}/auth/v1/sso/saml/metadata`)).text();
});
afterAll(async () => {
  await backend.drop();
  await provider?.close();
});

/** The provider's metadata under another entity id. */
const metadata = (entityId: string) =>
  provider.metadata.replace(`entityID="${provider.entityId}"`, `entityID="${entityId}"`);
const create = (body: Record<string, unknown>) => admin(backend, "POST", "", { type: "saml", ...body });

describe("a connection", () => {
  it("is created, read, listed without its metadata, changed and deleted", async () => {
    const keys = { name: { name: "displayName" }, role: { names: ["a", "b"], default: "user", array: true } };
    const made = await create({
      metadata_xml: metadata("https://one.example"),
      domains: ["one.example", "two.example"],
      attribute_mapping: { keys },
      name_id_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      resource_id: "acme:live",
    });
    expect(made).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resource_id: "acme:live",
        disabled: null,
        saml: {
          entity_id: "https://one.example",
          metadata_xml: metadata("https://one.example"),
          attribute_mapping: { keys },
          name_id_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        },
        domains: [{ domain: "one.example" }, { domain: "two.example" }],
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
    const { id } = made.body;
    expect(await admin(backend, "GET", `/${id}`)).toEqual({ status: 200, body: made.body });
    expect(await admin(backend, "GET", "/resource_acme:live")).toEqual({ status: 200, body: made.body });
    const items = async (query: string) =>
      (await admin(backend, "GET", query)).body.items as unknown as unknown[];
    const { metadata_xml: _left, ...saml } = made.body.saml as unknown as Record<string, unknown>;
    expect(await items("")).toEqual([{ ...(made.body as object), saml }]);
    expect(await items("?resource_id=acme:live")).toHaveLength(1);
    expect(await items("?resource_id_prefix=acme:")).toHaveLength(1);
    expect(await items("?resource_id_prefix=acm%25")).toHaveLength(0);
    const changed = await admin(backend, "PUT", `/${id}`, {
      domains: ["two.example", "three.example"],
      disabled: true,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { disabled: true, domains: [{ domain: "two.example" }, { domain: "three.example" }] },
    });
    expect(changed.body.saml).toMatchObject({ attribute_mapping: { keys } });
    expect(changed.body.saml).not.toHaveProperty("name_id_format");
    const same = await admin(backend, "PUT", `/${id}`, {});
    expect(same.body).toEqual(changed.body);
    expect(await admin(backend, "DELETE", `/${id}`)).toEqual({ status: 200, body: changed.body });
    expect((await admin(backend, "GET", `/${id}`)).status).toBe(404);
    expect(await backend.sql("select 1 from auth.sso_domains")).toEqual([]);
  });

  it("is refused when something is wrong with it", async () => {
    const error = async (body: Record<string, unknown>) => {
      const { status, body: answer } = await admin(backend, "POST", "", body);
      return [status, answer.error_code, answer.msg];
    };
    const invalid = (message: unknown) => [400, "validation_failed", message];
    const xml = metadata("https://errors.example");
    expect(await error({})).toEqual(invalid("Only 'saml' supported for SSO provider type"));
    expect(await error({ type: "oidc" })).toEqual(invalid("Only 'saml' supported for SSO provider type"));
    expect(await error({ type: "saml" })).toEqual(invalid("Either metadata_xml or metadata_url must be set"));
    expect(await error({ type: "saml", metadata_xml: xml, metadata_url: "https://a.example" })).toEqual(
      invalid("Only one of metadata_xml or metadata_url needs to be set"),
    );
    expect(await error({ type: "saml", metadata_url: "http://a.example" })).toEqual(
      invalid("metadata_url is not a HTTPS URL"),
    );
    expect(await error({ type: "saml", metadata_url: "https://a.example\\b" })).toEqual(
      invalid("metadata_url is not a valid URL"),
    );
    expect(await error({ type: "saml", metadata_xml: xml, name_id_format: "email" })).toEqual(
      invalid(expect.stringMatching(/^name_id_format must be unspecified or one of urn:/)),
    );
    const noId = xml.replace(/entityID="[^"]*"/, "");
    expect(await error({ type: "saml", metadata_xml: noId })).toEqual(
      invalid("SAML Metadata does not contain an EntityID"),
    );
    const descriptor = /<(?:md:)?IDPSSODescriptor[\s\S]*<\/(?:md:)?IDPSSODescriptor>/.exec(xml)?.[0] ?? "";
    expect(await error({ type: "saml", metadata_xml: xml.replace(descriptor, "") })).toEqual(
      invalid("SAML Metadata does not contain any IDPSSODescriptor"),
    );
    expect(
      await error({ type: "saml", metadata_xml: xml.replace(descriptor, descriptor + descriptor) }),
    ).toEqual(invalid("SAML Metadata contains multiple IDPSSODescriptors"));
    expect(await error({ type: "saml", metadata_xml: `<!DOCTYPE a [<!ENTITY b "c">]>${xml}` })).toEqual(
      invalid("SAML Metadata is not valid XML: A document type is not allowed."),
    );
    expect((await error({ type: "saml", metadata_xml: xml, domains: "a.example" }))[1]).toBe("bad_json");
  });

  it("has its entity id and its domains for itself, whatever their case", async () => {
    const first = await create({
      metadata_xml: metadata("https://first.example"),
      domains: ["First.example"],
    });
    expect(await create({ metadata_xml: metadata("https://first.example") })).toMatchObject({
      status: 422,
      body: { error_code: "saml_idp_already_exists" },
    });
    const taken = { status: 400, body: { error_code: "sso_domain_already_exists" } };
    const xml = metadata("https://second.example");
    expect(await create({ metadata_xml: xml, domains: ["first.EXAMPLE"] })).toMatchObject(taken);
    const second = await create({ metadata_xml: xml, domains: ["second.example"], resource_id: "second" });
    expect(second.status).toBe(201);
    const put = (body: unknown) => admin(backend, "PUT", `/${second.body.id}`, body);
    expect(await put({ domains: ["first.example"] })).toMatchObject(taken);
    expect(await put({ metadata_xml: metadata("https://first.example") })).toMatchObject({
      status: 400,
      body: { error_code: "saml_entity_id_mismatch" },
    });
    expect(await admin(backend, "PUT", `/${first.body.id}`, { resource_id: "SECOND" })).toMatchObject({
      status: 422,
      body: { error_code: "conflict" },
    });
    const both = await Promise.all(
      [1, 2].map(() =>
        create({ metadata_xml: metadata("https://twice.example"), domains: ["twice.example"] }),
      ),
    );
    const codes = both.map(({ status, body }) => (status === 201 ? "created" : body.error_code));
    expect(codes).toContain("created");
    // Which of its two duplicates the second request meets depends on when the first one commits.
    expect(["saml_idp_already_exists", "sso_domain_already_exists"]).toContain(
      codes.find((code) => code !== "created"),
    );
  });

  it("is for administrators, and found by its id only", async () => {
    for (const path of ["", `/${crypto.randomUUID()}`]) {
      const response = await fetch(`${backend.url}/auth/v1/admin/sso/providers${path}`, {
        headers: { apikey: backend.publishableKey },
      });
      expect([401, 403]).toContain(response.status);
    }
    for (const id of ["not-a-uuid", crypto.randomUUID(), "resource_none"]) {
      for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const) {
        expect(await admin(backend, method, `/${id}`, body)).toMatchObject({
          status: 404,
          body: { error_code: "sso_provider_not_found", msg: "SSO Identity Provider not found" },
        });
      }
    }
  });
});

describe("the service provider's metadata", () => {
  it("names its addresses and its certificate, which stays the same", async () => {
    const response = await fetch(`${backend.url}/auth/v1/sso/saml/metadata`);
    expect(response.headers.get("content-type")).toBe("application/xml");
    expect(response.headers.get("cache-control")).toBe("public, max-age=600");
    const xml = await response.text();
    const base = `${backend.url}/auth/v1/sso/saml`;
    expect(xml).toContain(`entityID="${base}/metadata"`);
    expect(xml.match(new RegExp(`Location="${base}/acs"`, "g"))).toHaveLength(2);
    expect(xml).toContain(`Location="${base}/slo"`);
    expect(xml).toContain('WantAssertionsSigned="true"');
    expect(xml.match(/use="[a-z]+"/g)).toEqual(['use="signing"']);
    const certificate = new X509Certificate(
      Buffer.from(/<X509Certificate>([^<]*)/.exec(xml)?.[1] ?? "", "base64"),
    );
    expect(certificate.subject).toBe("CN=SAML 2.0 Certificate for 127.0.0.1");
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2170);
    const again = await (await fetch(`${base}/metadata`)).text();
    expect(again).toContain(/<X509Certificate>[^<]*/.exec(xml)?.[0] ?? "missing");
  });

  it("can be downloaded, valid for years", async () => {
    const response = await fetch(`${backend.url}/auth/v1/sso/saml/metadata?download=true`);
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="metadata.xml"');
    const until = /validUntil="([^"]*)"/.exec(await response.text())?.[1] ?? "";
    expect(Date.parse(until)).toBeGreaterThan(Date.now() + 4 * 365 * DAY);
  });

  it("uses the address of GOTRUE_SAML_EXTERNAL_URL", async () => {
    await using other = await samlBackend({ GOTRUE_SAML_EXTERNAL_URL: "https://id.example/auth/v1/" });
    const xml = await (await fetch(`${other.url}/auth/v1/sso/saml/metadata`)).text();
    expect(xml).toContain('entityID="https://id.example/auth/v1/sso/saml/metadata"');
  });
});

describe("metadata from an address", () => {
  let server: Server;
  let url: string;
  let answer: { status: number; text: string };
  const trusted = tls.getCACertificates("default");
  beforeAll(async () => {
    const { certificate, privateKey } = selfSigned("localhost");
    tls.setDefaultCACertificates([...trusted, certificate]);
    server = createServer({ cert: certificate, key: privateKey }, (_request, response) => {
      response.writeHead(answer.status, { "content-type": "application/xml" }).end(answer.text);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `https://localhost:${(server.address() as AddressInfo).port}/metadata`;
  });
  afterAll(async () => {
    tls.setDefaultCACertificates(trusted);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("is fetched, and fetched again after a day: new keys sign in at once, an outage changes nothing", async () => {
    const [before, after] = await Promise.all([SamlIdentityProvider.open(), SamlIdentityProvider.open()]);
    const own = await SamlIdentityProvider.open({ entityId: before.entityId });
    answer = { status: 200, text: before.metadata };
    const { status, body } = await create({ metadata_url: url });
    expect(status).toBe(201);
    expect(body.saml).toMatchObject({ metadata_url: url, metadata_xml: before.metadata });
    const signedIn = async (idp: SamlIdentityProvider, nameId: string, shift = 0) => {
      idp.serviceMetadata = provider.serviceMetadata;
      const attributes = { [EMAIL_ATTRIBUTE]: [`${nameId}@example.com`] };
      return fragmentOf(await post(backend, await idp.unsolicited({ nameId, attributes, shift }))).has(
        "access_token",
      );
    };
    expect(await signedIn(before, "mo")).toBe(true);
    answer = { status: 200, text: own.metadata };
    expect(await signedIn(own, "mo")).toBe(false);
    backend.clock.advance(DAY + 60_000);
    answer = { status: 503, text: "" };
    expect(await signedIn(before, "mo", DAY + 60_000)).toBe(true);
    answer = { status: 200, text: after.metadata };
    expect(await signedIn(before, "mo", DAY + 60_000)).toBe(true);
    const reasons = backend.logs.filter(({ message }) => /could not be fetched again/.test(message));
    expect(reasons.map(({ fields }) => fields?.reason)).toEqual([
      `HTTP 503 error fetching SAML Metadata from URL '${url}'`,
      "Its EntityID has changed.",
    ]);
    answer = { status: 200, text: own.metadata };
    expect(await signedIn(own, "mo", DAY + 60_000)).toBe(true);
    backend.clock.reset();
    await Promise.all([before.close(), after.close(), own.close()]);
  });

  it("that cannot be fetched is refused", async () => {
    const code = async (metadata_url: string) => {
      const { status, body } = await create({ metadata_url });
      return [status, body.error_code, body.msg];
    };
    const failed = (reason: string, where = url) => [
      400,
      "saml_metadata_fetch_failed",
      `${reason} fetching SAML Metadata from URL '${where}'`,
    ];
    answer = { status: 404, text: "" };
    expect(await code(url)).toEqual(failed("HTTP 404 error"));
    answer = { status: 200, text: "x".repeat(600_000) };
    expect(await code(url)).toEqual(failed("Too large an answer"));
    expect(await code("https://127.0.0.1:1/")).toEqual(failed("Network error", "https://127.0.0.1:1/"));
    answer = { status: 200, text: "<html>" };
    expect((await code(url))[1]).toBe("validation_failed");
  });
});

describe("settings", () => {
  it("leave SAML off without GOTRUE_SAML_ENABLED, while connections can be prepared", async () => {
    await using off = await authBackend();
    const settings = await (
      await fetch(`${off.url}/auth/v1/settings`, { headers: { apikey: off.publishableKey } })
    ).json();
    expect(settings).toMatchObject({ saml_enabled: false });
    const { error } = await clientOf(off).auth.signInWithSSO({ domain: "example.com" });
    expect(error?.code).toBe("saml_provider_disabled");
    for (const [method, path] of [
      ["GET", "metadata"],
      ["POST", "acs"],
    ] as const) {
      const response = await fetch(`${off.url}/auth/v1/sso/saml/${path}`, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error_code: "saml_provider_disabled" });
    }
    expect((await admin(off, "POST", "", { type: "saml", metadata_xml: provider.metadata })).status).toBe(
      201,
    );
  });

  it("are in /settings when SAML is on", async () => {
    const headers = { apikey: backend.publishableKey };
    const settings = await (await fetch(`${backend.url}/auth/v1/settings`, { headers })).json();
    expect(settings).toMatchObject({ saml_enabled: true });
  });

  it.each([
    [{ GOTRUE_SAML_PRIVATE_KEY: "" }, /without GOTRUE_SAML_PRIVATE_KEY/],
    [{ GOTRUE_SAML_PRIVATE_KEY: "bm90IGEga2V5" }, /not an RSA key in PKCS#1 format/],
    [{ GOTRUE_SAML_EXTERNAL_URL: "not a url" }, /GOTRUE_SAML_EXTERNAL_URL is not a URL/],
  ])("stop the start with %o", async (environment, message) => {
    await expect(samlBackend(environment)).rejects.toThrow(message);
  });

  it("limit the assertions of an address", async () => {
    await using limited = await samlBackend({
      GOTRUE_RATE_LIMIT_HEADER: "X-Real-IP",
      GOTRUE_SAML_RATE_LIMIT_ASSERTION: "1",
    });
    const statuses: number[] = [];
    for (let count = 0; count < 32; count++) {
      const response = await fetch(`${limited.url}/auth/v1/sso/saml/acs`, {
        method: "POST",
        headers: { "x-real-ip": "192.0.2.1" },
        body: new URLSearchParams({ SAMLResponse: "" }),
        redirect: "manual",
      });
      statuses.push(response.status);
    }
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(303));
    expect(statuses.at(-1)).toBe(429);
  });
});

it("connects what samlify calls a service provider", async () => {
  const own = await SamlIdentityProvider.open();
  await connect(backend, own, { domains: ["last.example"] });
  const { data } = await clientOf(backend).auth.signInWithSSO({ domain: "last.example" });
  own.statement = { nameId: "nia", attributes: { mail: ["nia@example.com"] } };
  const done = await post(backend, await own.visit(data?.url ?? ""));
  expect(fragmentOf(done).has("access_token")).toBe(true);
  await own.close();
});
