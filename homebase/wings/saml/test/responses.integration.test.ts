/**
 * Responses that must not sign anybody in: forged, altered, wrapped, for somebody else, too old, used before
 * (SAML 2.0 Profiles 4.1.4; SAML 2.0 Security and Privacy Considerations; docs/decisions/0027-saml.md).
 */
import { createHash, createSign, generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { clientOf } from "../../../test/auth/client.ts";
import {
  altered,
  assertionIn,
  EVIL,
  errorOf,
  evilOf,
  reasonOf,
  right,
  signatureIn,
  xmlOf,
} from "./forging.ts";
import { type Posted, SamlIdentityProvider, type Statement } from "./identity-provider.ts";
import { admin, connect, post, samlBackend } from "./project.ts";

const MINUTE = 60_000;
const OTHER = "https://other.example/auth/v1/sso/saml";
const STATUS = "urn:oasis:names:tc:SAML:2.0:status";
const ANOTHER = "The response answers another request.";

const [backend, provider] = await Promise.all([
  samlBackend({ GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS: "true" }),
  SamlIdentityProvider.open(),
]);
const connection = await connect(backend, provider, { domains: ["example.com"] });
afterAll(async () => {
  await backend.drop();
  await provider?.close();
});

/** The response of a sign-in that supabase-js starts. */
async function asked(statement: Statement): Promise<Posted> {
  const { data, error } = await clientOf(backend).auth.signInWithSSO({ domain: "example.com" });
  if (error) throw error;
  provider.statement = statement;
  return provider.visit(data?.url ?? "");
}

describe("a signature", () => {
  it("of the assertion is enough, and so is one of the whole response", async () => {
    expect(await errorOf(backend, await provider.unsolicited(right()))).toBeUndefined();
    const whole = await SamlIdentityProvider.open({ wholeSigned: true });
    await connect(backend, whole);
    const posted = await whole.unsolicited(right());
    expect(assertionIn(xmlOf(posted))).not.toContain("Signature");
    expect(await errorOf(backend, posted)).toBeUndefined();
    const other = altered(await whole.unsolicited(right()), (xml) => xml.replace(/person-\d+@/, "mallory@"));
    expect(await reasonOf(backend, other)).toBe("Invalid signature");
    await whole.close();
  });

  it("is required", async () => {
    const bare = altered(await provider.unsolicited(right()), (xml) => xml.replace(signatureIn(xml), ""));
    expect(xmlOf(bare)).not.toContain("Signature");
    expect(await reasonOf(backend, bare)).toBe("Invalid signature");
  });

  it("of another key is refused, also when the response brings that key's certificate", async () => {
    const forger = await SamlIdentityProvider.open({ entityId: provider.entityId });
    forger.serviceMetadata = provider.serviceMetadata;
    const posted = await forger.unsolicited(right());
    expect(xmlOf(posted)).toContain("X509Certificate");
    expect(await reasonOf(backend, posted)).toBe("Invalid signature");
    await forger.close();
  });

  it("of another connection's provider does not vouch for this one's users", async () => {
    const second = await SamlIdentityProvider.open();
    await connect(backend, second);
    expect(await reasonOf(backend, await second.unsolicited(right({ issuer: provider.entityId })))).toBe(
      "Invalid signature",
    );
    const started = await asked(right());
    const swapped = { ...(await second.unsolicited(right())), RelayState: started.RelayState };
    expect(await reasonOf(backend, swapped)).toBe("Invalid signature");
    await second.close();
  });

  it("covers every value of the assertion", async () => {
    const changes: [RegExp, string][] = [
      [/person-\d+@example.com/, EVIL],
      [/(<saml:NameID[^>]*>)[^<]*/, "$1person-1"],
      [/<saml:Audience>[^<]*/, "<saml:Audience>https://other.example"],
      [/(Conditions NotBefore="[^"]*" NotOnOrAfter=")[^"]*/, "$12999-01-01T00:00:00Z"],
    ];
    for (const [from, to] of changes) {
      const changed = altered(await provider.unsolicited(right()), (xml) => xml.replace(from, to));
      expect(await reasonOf(backend, changed)).toBe("Invalid signature");
    }
  });

  it("with SHA-1 is refused", async () => {
    const weak = await SamlIdentityProvider.open({
      signatureAlgorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
    });
    await connect(backend, weak);
    expect(await reasonOf(backend, await weak.unsolicited(right()))).toBe(
      "The algorithm http://www.w3.org/2000/09/xmldsig#sha1 is not accepted.",
    );
    await weak.close();
  });

  it("by HMAC with the public certificate as its secret is refused", async () => {
    const posted = altered(await provider.unsolicited(right()), (xml) =>
      xml.replace(
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
      ),
    );
    expect(await reasonOf(backend, posted)).toBe(
      "The algorithm http://www.w3.org/2000/09/xmldsig#hmac-sha1 is not accepted.",
    );
  });

  it("that the sender made over an assertion of the sender's own, with a key of the sender's, is refused", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const forged = altered(await provider.unsolicited(right()), (xml) => {
      const changed = xml.replace(/person-\d+@example.com/, EVIL);
      const digest = createHash("sha256").update(assertionIn(changed)).digest("base64");
      const signature = createSign("sha256").update(changed).sign(privateKey, "base64");
      return changed
        .replace(/(DigestValue>)[^<]*/, `$1${digest}`)
        .replace(/(SignatureValue>)[^<]*/, `$1${signature}`);
    });
    expect(await reasonOf(backend, forged)).toBe("Invalid signature");
  });
});

// The places of a signed assertion beside a forged one, after Somorovsky and others, "On Breaking SAML" (2012).
const WRAPPINGS: [string, (xml: string) => string, string?][] = [
  ["before the signed one", (xml) => xml.replace(assertionIn(xml), (one) => evilOf(one) + one)],
  ["after the signed one", (xml) => xml.replace(assertionIn(xml), (one) => one + evilOf(one))],
  [
    "around the signed one",
    (xml) =>
      xml.replace(assertionIn(xml), (one) =>
        evilOf(one).replace("</saml:Assertion>", `${one}</saml:Assertion>`),
      ),
  ],
  [
    "with the signature, which holds the signed one in an Object",
    (xml) =>
      xml.replace(assertionIn(xml), (one) => {
        const signature = signatureIn(one);
        const original = one.replace(signature, "");
        const end = /<\/[A-Za-z:]*Signature>$/.exec(signature)?.[0] ?? "";
        const prefix = end.includes("ds:") ? "ds:" : "";
        const holding = signature.replace(end, `<${prefix}Object>${original}</${prefix}Object>${end}`);
        return evilOf(one).replace("</saml:Issuer>", `</saml:Issuer>${holding}`);
      }),
  ],
  [
    "with the same id",
    (xml) =>
      xml.replace(assertionIn(xml), (one) => {
        const id = / ID="([^"]*)"/.exec(one)?.[1] ?? "";
        return evilOf(one).replace("_evil", id) + one;
      }),
    "Two elements have one id.",
  ],
  [
    "and the signed one in an extension",
    (xml) =>
      xml.replace(assertionIn(xml), (one) => `<samlp:Extensions>${one}</samlp:Extensions>${evilOf(one)}`),
  ],
  [
    "in a response around the response",
    (xml) =>
      xml
        .replace(assertionIn(xml), (one) => evilOf(one))
        .replace("</samlp:Response>", `${xml.replace(/<\?xml.*?\?>/, "")}</samlp:Response>`),
    "Two elements have one id.",
  ],
  [
    "under another namespace",
    (xml) =>
      xml.replace(
        assertionIn(xml),
        (one) => evilOf(one).replaceAll("saml:", "other:").replace("xmlns:saml=", "xmlns:other=") + one,
      ),
  ],
];

describe("a forged assertion", () => {
  it.each(WRAPPINGS)("%s is refused", async (_where, wrap, reason = "Not one assertion.") => {
    const forged = altered(await provider.unsolicited(right()), wrap);
    expect(xmlOf(forged)).toContain(EVIL);
    expect(await reasonOf(backend, forged)).toBe(reason);
    expect(await backend.sql("select 1 from auth.users where email = $1", [EVIL])).toEqual([]);
  });
});

describe("XML", () => {
  const DOCTYPES = [
    '<!DOCTYPE r [<!ENTITY e "mallory">]>',
    '<!DOCTYPE r SYSTEM "http://127.0.0.1:1/x.dtd">',
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;">]>',
    '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
  ];
  it.each(DOCTYPES)("with the document type %s is refused before its entities are read", async (doctype) => {
    const posted = altered(
      await provider.unsolicited(right()),
      (xml) => doctype + xml.replace(/<\?xml.*?\?>/, ""),
    );
    expect(await errorOf(backend, posted)).toBe(
      "validation_failed: SAMLResponse is not a valid XML SAML assertion",
    );
    const started = await asked(right());
    expect(
      await reasonOf(
        backend,
        altered(started, (xml) => doctype + xml.replace(/<\?xml.*?\?>/, "")),
      ),
    ).toBe("A document type is not allowed.");
  });

  it("that is deep, long, or not XML is refused", async () => {
    const deep = `${"<a>".repeat(5_000)}${"</a>".repeat(5_000)}`;
    const wide = `<a>${"<b/>".repeat(1_200)}</a>`;
    const remarks = `<a>${"<!-- -->".repeat(41)}</a>`;
    const names = `<a ${Array.from({ length: 61 }, (_, at) => `xmlns:n${at}="u"`).join(" ")}/>`;
    const long = `<a>${"x".repeat(600_000)}</a>`;
    for (const xml of [deep, wide, remarks, names, long, "<a></b>", "plain"]) {
      const SAMLResponse = Buffer.from(xml).toString("base64");
      expect(await errorOf(backend, { SAMLResponse })).toBe(
        "validation_failed: SAMLResponse is not a valid XML SAML assertion",
      );
    }
  });
});

describe("a rightly signed response", () => {
  const WRONG: [string, Statement, RegExp][] = [
    ["for another audience", { audience: `${OTHER}/metadata` }, /audience mismatch/],
    ["for another recipient", { recipient: `${OTHER}/acs` }, /another recipient/],
    ["for another destination", { destination: `${OTHER}/acs` }, /destination is https:\/\/other/],
    ["that was issued too long ago", { shift: -2 * MINUTE, lifetime: 10 * MINUTE }, /issued too long ago/],
    ["that has expired", { shift: -MINUTE, lifetime: -4 * MINUTE }, /conditions are expired/],
    ["from the future", { shift: 4 * MINUTE }, /issued in the future/],
    ["with another status", { status: `${STATUS}:Requester` }, /status is .*:Requester/],
    ["that names another issuer", { issuer: "https://other.example" }, /another provider's/],
  ];
  it.each(WRONG)("%s is refused", async (_what, changes, reason) => {
    expect(await reasonOf(backend, await asked(right(changes)))).toMatch(reason);
    // A response to no request finds its connection by its issuer.
    if (changes.issuer) return;
    expect(await reasonOf(backend, await provider.unsolicited(right(changes)))).toMatch(reason);
  });

  it("to another request is refused, also if only the subject names it", async () => {
    expect(await reasonOf(backend, await asked(right({ inResponseTo: "id-other" })))).toBe(ANOTHER);
    expect(await reasonOf(backend, await asked(right({ subjectInResponseTo: "id-other" })))).toBe(ANOTHER);
    const first = await asked(right());
    const second = await asked(right());
    expect(await reasonOf(backend, { ...first, RelayState: second.RelayState })).toBe(ANOTHER);
  });

  it("to a request is refused without its RelayState: a stolen one would pass by PKCE", async () => {
    const posted = await asked(right());
    expect(await reasonOf(backend, { SAMLResponse: posted.SAMLResponse })).toMatch(
      /without that request's RelayState/,
    );
  });

  it("to no request is refused with a RelayState", async () => {
    const { RelayState } = await asked(right());
    expect(await reasonOf(backend, { ...(await provider.unsolicited(right())), RelayState })).toBe(ANOTHER);
  });

  it("is used once: again, at once, and after another sign-in", async () => {
    const posted = await provider.unsolicited(right());
    const both = await Promise.all([errorOf(backend, posted), errorOf(backend, posted)]);
    const used = "validation_failed: SAML Assertion has already been used";
    expect(both.sort()).toEqual([used, undefined]);
    expect(await errorOf(backend, posted)).toBe(used);
    const [row] = await backend.sql(
      "select id from auth.saml_relay_states where request_id like 'assertion:%' limit 1",
    );
    expect(await errorOf(backend, { ...posted, RelayState: String(row?.id) })).toMatch(
      /^saml_relay_state_not_found/,
    );
  });

  it("is used once with its RelayState, which also expires", async () => {
    const posted = await asked(right());
    expect(await errorOf(backend, posted)).toBeUndefined();
    expect(await errorOf(backend, posted)).toBe(
      "saml_relay_state_not_found: SAML RelayState does not exist, try logging in again?",
    );
    const late = await asked(right({ shift: 2 * MINUTE }));
    backend.clock.advance(2 * MINUTE);
    expect(await errorOf(backend, late)).toBe(
      "saml_relay_state_expired: SAML RelayState has expired. Try logging in again?",
    );
    backend.clock.reset();
  });

  it("is refused when its connection has been deleted, and its row goes with it", async () => {
    const second = await SamlIdentityProvider.open();
    const id = await connect(backend, second, { domains: ["gone.example"] });
    const { data } = await clientOf(backend).auth.signInWithSSO({ domain: "gone.example" });
    second.statement = right();
    const posted = await second.visit(data?.url ?? "");
    await admin(backend, "DELETE", `/${id}`);
    expect(await errorOf(backend, posted)).toMatch(/^saml_relay_state_not_found/);
    expect(await errorOf(backend, await second.unsolicited(right()))).toMatch(/^saml_idp_not_found/);
    await second.close();
  });

  it("is refused when sign-up is off and the user is new", async () => {
    await using closed = await samlBackend({}, { enable_signup: false });
    const own = await SamlIdentityProvider.open();
    await connect(closed, own);
    const done = await post(closed, await own.unsolicited(right()));
    expect(done.searchParams.get("error_code")).toBe("signup_disabled");
    await own.close();
  });
});

it("leaves the connection's own sign-ins working after all that", async () => {
  expect(await errorOf(backend, await asked(right()))).toBeUndefined();
  const { body } = await admin(backend, "GET", `/${connection}`);
  expect(body.disabled).toBeNull();
});
