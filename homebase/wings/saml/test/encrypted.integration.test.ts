/**
 * Encrypted assertions, and what anybody can encrypt for the public key in the metadata
 * (docs/decisions/0027-saml.md).
 */
import { createCipheriv, publicEncrypt, randomBytes, X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { altered, assertionIn, errorOf, evilOf, reasonOf, right, xmlOf } from "./forging.ts";
import { type ProviderOptions, SamlIdentityProvider } from "./identity-provider.ts";
import { connect, samlBackend } from "./project.ts";

const [backend, provider] = await Promise.all([
  samlBackend({ GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS: "true" }),
  SamlIdentityProvider.open(),
]);
beforeAll(async () => {
  await connect(backend, provider);
});
afterAll(async () => {
  await backend.drop();
  await provider?.close();
});

describe("an encrypted assertion", () => {
  const GCM = "http://www.w3.org/2009/xmlenc11#aes256-gcm";
  const CBC = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";
  const OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p";
  const PKCS1 = "http://www.w3.org/2001/04/xmlenc#rsa-1_5";
  const sent = async (options: ProviderOptions) => {
    const own = await SamlIdentityProvider.open(options);
    await connect(backend, own);
    const posted = await own.unsolicited(right());
    await own.close();
    expect(xmlOf(posted)).toContain("EncryptedAssertion");
    const refused = await errorOf(backend, posted);
    return (
      refused &&
      backend.logs.findLast(({ message }) => message === "A SAML response was refused")?.fields?.reason
    );
  };

  it("signs in with AES-GCM and RSA-OAEP", async () => {
    expect(await sent({ encryption: { data: GCM, key: OAEP } })).toBeUndefined();
  });

  it("is refused with a cipher or a key transport whose padding answers could tell apart", async () => {
    expect(await sent({ encryption: { data: CBC, key: OAEP } })).toBe(
      `The algorithm ${CBC} is not accepted.`,
    );
    expect(await sent({ encryption: { data: GCM, key: PKCS1 } })).toBe(
      `The algorithm ${PKCS1} is not accepted.`,
    );
  });
});

describe("what anybody can encrypt for the public key", () => {
  /** A response with XML that is encrypted as EncryptedAssertion. */
  const sealed = async (plain: string) => {
    const certificate = /<X509Certificate>([^<]*)/.exec(provider.serviceMetadata)?.[1] ?? "";
    const { publicKey } = new X509Certificate(Buffer.from(certificate, "base64"));
    const [key, iv] = [randomBytes(32), randomBytes(12)];
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const bytes = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const value = (content: Buffer) =>
      `<e:CipherData><e:CipherValue>${content.toString("base64")}</e:CipherValue></e:CipherData>`;
    const sealedKey = publicEncrypt({ key: publicKey, oaepHash: "sha1" }, key);
    const data = `<e:EncryptedData xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><e:EncryptedKey><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/>${value(sealedKey)}</e:EncryptedKey></KeyInfo>${value(bytes)}</e:EncryptedData>`;
    return altered(await provider.unsolicited(right()), (xml) =>
      xml.replace(assertionIn(xml), `<saml:EncryptedAssertion>${data}</saml:EncryptedAssertion>`),
    );
  };

  it("signs in with the provider's signature inside, as a control", async () => {
    const signed = assertionIn(xmlOf(await provider.unsolicited(right())));
    expect(await errorOf(backend, await sealed(signed))).toBeUndefined();
  });

  it("is checked like a response: signature, wrapping, document type, size", async () => {
    const signed = assertionIn(xmlOf(await provider.unsolicited(right())));
    expect(await reasonOf(backend, await sealed(evilOf(signed)))).toBe(
      "Invalid signature from encrypted assertion",
    );
    const around = evilOf(signed).replace("</saml:Assertion>", `${signed}</saml:Assertion>`);
    expect(await reasonOf(backend, await sealed(around))).toBe("Not one assertion.");
    expect(await reasonOf(backend, await sealed(`<!DOCTYPE a [<!ENTITY b "c">]>${signed}`))).toBe(
      "A document type is not allowed.",
    );
    const large = signed.replace("<saml:Conditions", `${"<saml:x/>".repeat(1_200)}<saml:Conditions`);
    expect(await reasonOf(backend, await sealed(large))).toBe("Too many elements.");
    const weak = signed.replace("xmldsig-more#rsa-sha256", "xmldsig-more#rsa-md5");
    expect(await reasonOf(backend, await sealed(weak))).toMatch(/rsa-md5 is not accepted/);
  });

  it("is refused beside a second encrypted text, and when it is altered", async () => {
    const posted = await sealed(assertionIn(xmlOf(await provider.unsolicited(right()))));
    const twice = altered(posted, (xml) => {
      const data = /<e:EncryptedData[\s\S]*<\/e:EncryptedData>/.exec(xml)?.[0] ?? "";
      return xml.replace("<samlp:Status>", `<samlp:Extensions>${data}</samlp:Extensions><samlp:Status>`);
    });
    expect(await reasonOf(backend, twice)).toBe("Not one encrypted assertion.");
    const broken = altered(posted, (xml) =>
      xml.replace(
        /(<\/KeyInfo><e:CipherData><e:CipherValue>.{40})(.)/,
        (_all, before: string, one: string) => `${before}${one === "A" ? "B" : "A"}`,
      ),
    );
    expect(await reasonOf(backend, broken)).toBe("The assertion cannot be decrypted.");
  });
});

it("is refused while encrypted assertions are off, as without the setting", async () => {
  await using plain = await samlBackend();
  const own = await SamlIdentityProvider.open({
    encryption: {
      data: "http://www.w3.org/2009/xmlenc11#aes256-gcm",
      key: "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
    },
  });
  await connect(plain, own);
  // The metadata without the setting has no key to encrypt for.
  expect(own.serviceMetadata).not.toContain("encryption");
  own.serviceMetadata = own.serviceMetadata.replace(
    /<KeyDescriptor use="signing">[\s\S]*?<\/KeyDescriptor>/,
    (signing) => signing + signing.replace("signing", "encryption"),
  );
  expect(await reasonOf(plain, await own.unsolicited(right()))).toBe("Encrypted assertions are not allowed.");
  await own.close();
});
