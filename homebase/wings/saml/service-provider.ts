/**
 * Owns this project as a SAML service provider: its addresses, its metadata, its requests, and the
 * verification of responses by node-saml (docs/decisions/0027-saml.md; supabase/auth, internal/api/saml.go).
 */

import { randomBytes } from "node:crypto";
import type { SAML } from "@node-saml/node-saml";
import { perAuth } from "../../src/auth/kit/auth.ts";
import type { Settings } from "../../src/auth/kit/settings.ts";
import { pem } from "../../src/core/der.ts";
import { parseXml, type XmlElement } from "../../src/core/xml.ts";
import { serviceCertificate } from "./certificate.ts";
import { type IdentityProvider, validCertificates } from "./metadata.ts";
import { checkDecrypted, checkEnvelope, type Envelope, ResponseRefused } from "./response.ts";
import type { SamlSettings } from "./settings.ts";
import { readSamlSettings } from "./settings.ts";
import { escapeXml, METADATA, RESPONSE_LIMITS, SIGNATURE } from "./xml.ts";

const PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const EMAIL_ADDRESS = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings";
const METADATA_MS = 2 * 24 * 60 * 60 * 1_000;
const DOWNLOAD_YEARS = 5;
/** Of the ids of requests. */
export const REQUEST_PREFIX = "id-";

/** The service provider of a project. */
export class ServiceProvider {
  readonly settings: SamlSettings;
  /** The entity id, which is also the metadata's address. */
  readonly entityId: string;
  readonly acsUrl: string;
  readonly #sloUrl: string;
  readonly #host: string;
  #certificate: Buffer | undefined;

  constructor(settings: SamlSettings, { externalUrl }: Pick<Settings, "externalUrl">) {
    const base = `${settings.externalUrl ?? externalUrl}/sso/saml`;
    this.settings = settings;
    this.entityId = `${base}/metadata`;
    this.acsUrl = `${base}/acs`;
    this.#sloUrl = `${base}/slo`;
    this.#host = new URL(externalUrl).hostname;
  }

  /** The metadata document. @param download makes it valid for years instead of days. @param now milliseconds */
  metadata(download: boolean, now: number): string {
    const until = new Date(now + METADATA_MS);
    if (download) {
      until.setTime(now);
      until.setUTCFullYear(until.getUTCFullYear() + DOWNLOAD_YEARS);
    }
    const uses = this.settings.encryptedAssertions ? ["encryption", "signing"] : ["signing"];
    const certificate = this.#certificateDer().toString("base64");
    const key = (use: string) =>
      `<KeyDescriptor use="${use}"><KeyInfo xmlns="${SIGNATURE}"><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`;
    const service = (name: string, binding: string, url: string, more = "") =>
      `<${name} Binding="${BINDINGS}:${binding}" Location="${escapeXml(url)}"${more}></${name}>`;
    return [
      `<EntityDescriptor xmlns="${METADATA}" validUntil="${until.toISOString()}" entityID="${escapeXml(this.entityId)}">`,
      `<SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" WantAssertionsSigned="true">`,
      ...uses.map(key),
      service("SingleLogoutService", "HTTP-POST", this.#sloUrl),
      `<NameIDFormat>${EMAIL_ADDRESS}</NameIDFormat><NameIDFormat>${PERSISTENT}</NameIDFormat>`,
      service("AssertionConsumerService", "HTTP-POST", this.acsUrl, ' index="1"'),
      service("AssertionConsumerService", "HTTP-Artifact", this.acsUrl, ' index="2"'),
      "</SPSSODescriptor></EntityDescriptor>",
    ].join("");
  }

  /**
   * A signed request to sign in, by the HTTP-Redirect binding.
   * @param nameIdFormat undefined for a persistent id.
   * @returns the request's id, and the address to send the browser to for a given relay state.
   */
  async request(
    signOnUrl: string,
    nameIdFormat: string | undefined,
  ): Promise<{ id: string; url: (relayState: string) => Promise<string> }> {
    const id = `${REQUEST_PREFIX}${randomBytes(20).toString("hex")}`;
    const saml = await this.#saml({
      entryPoint: signOnUrl,
      // node-saml checks responses only; requests need no certificate.
      idpCert: "unused",
      identifierFormat: nameIdFormat ?? PERSISTENT,
      generateUniqueId: () => id,
      privateKey: this.settings.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      signatureAlgorithm: "sha256",
    });
    return { id, url: (relayState) => saml.getAuthorizeUrlAsync(relayState, undefined, {}) };
  }

  /**
   * Verifies a response's signature with the provider's certificates, and its audience.
   * @param text the response's XML. @param now milliseconds, for the certificates' validity.
   * @returns the response's envelope, which may be unsigned, and the signed assertion.
   * @throws ResponseRefused, XmlError
   */
  async verify(
    text: string,
    provider: IdentityProvider,
    now: number,
  ): Promise<{ envelope: Envelope; assertion: XmlElement }> {
    const envelope = checkEnvelope(parseXml(text, RESPONSE_LIMITS), this.settings.encryptedAssertions);
    const certificates = validCertificates(provider, now);
    if (certificates.length === 0)
      throw new ResponseRefused("The provider has no valid signing certificate.");
    const key = this.settings.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    if (envelope.encrypted) await checkInside(text, key);
    const saml = await this.#saml({
      idpCert: certificates,
      audience: this.entityId,
      // Either signature is enough, as upstream; without any, node-saml refuses the response.
      wantAssertionsSigned: false,
      wantAuthnResponseSigned: false,
      // Times are checked against the Backend's clock, in assertion.ts.
      acceptedClockSkewMs: -1,
      ...(envelope.encrypted ? { decryptionPvk: key } : {}),
    });
    const SAMLResponse = Buffer.from(text).toString("base64");
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse }).catch((error: unknown) => {
      throw new ResponseRefused(error instanceof Error ? error.message : String(error));
    });
    // Only what the signature covers is read from here on.
    const verified = profile?.getAssertionXml?.();
    if (!verified) throw new ResponseRefused("The response has no assertion.");
    return { envelope, assertion: parseXml(verified, RESPONSE_LIMITS) };
  }

  /** Loaded with the first use: node-saml and its parsers cost neither start time nor memory before. */
  async #saml(
    options: Pick<ConstructorParameters<typeof SAML>[0], "idpCert"> &
      Partial<ConstructorParameters<typeof SAML>[0]>,
  ): Promise<SAML> {
    const { SAML, ValidateInResponseTo } = await import("@node-saml/node-saml");
    return new SAML({
      issuer: this.entityId,
      callbackUrl: this.acsUrl,
      disableRequestedAuthnContext: true,
      // The id of the request is in the relay state; assertion.ts compares them.
      validateInResponseTo: ValidateInResponseTo.never,
      ...options,
    });
  }

  #certificateDer(): Buffer {
    const { privateKey, encryptedAssertions } = this.settings;
    this.#certificate ??= serviceCertificate(privateKey, this.#host, encryptedAssertions);
    return this.#certificate;
  }

  /** The certificate as PEM. */
  get certificate(): string {
    return pem("CERTIFICATE", this.#certificateDer());
  }
}

/** Undefined while SAML is off. */
export const serviceProvider = perAuth((auth) => {
  const saml = readSamlSettings(auth.context.config.environment);
  return saml && new ServiceProvider(saml, auth.settings);
});

/**
 * Checks what is encrypted in a response before node-saml reads it: anybody can encrypt for a public key.
 * @throws ResponseRefused, XmlError
 */
async function checkInside(text: string, key: string): Promise<void> {
  const { decryptXml } = await import("@node-saml/node-saml/lib/xml.js");
  const plain = await decryptXml(text, key).catch(() => {
    throw new ResponseRefused("The assertion cannot be decrypted.");
  });
  checkDecrypted(parseXml(plain, RESPONSE_LIMITS));
}
