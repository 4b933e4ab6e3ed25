/**
 * Owns the metadata of identity providers: parsing, fetching, and when it is stale (SAML 2.0 Metadata;
 * supabase/auth, internal/api/ssoadmin.go, samlacs.go).
 */
import { X509Certificate } from "node:crypto";
import { AuthError, badRequest, validationFailed } from "../../src/auth/kit/errors.ts";
import { parseXml, type XmlElement, XmlError } from "../../src/core/xml.ts";
import { AnswerTooLarge, answerText } from "../../src/http/bounded-answer.ts";
import { allOf, childrenOf, durationOf, instantOf, METADATA, METADATA_LIMITS, SIGNATURE } from "./xml.ts";

const REDIRECT_BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const FETCH_MS = 5_000;
const FETCH_LIMIT = 512 * 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** An identity provider, from its metadata. */
export interface IdentityProvider {
  entityId: string;
  /** Where requests go by the HTTP-Redirect binding; undefined when it has no such address. */
  signOnUrl: string | undefined;
  /** Its signing certificates, DER in base64. */
  certificates: string[];
  /** Milliseconds; undefined without a limit. */
  validUntil: number | undefined;
  cacheMs: number | undefined;
}

/** @throws AuthError validation_failed */
export function parseMetadata(text: string): IdentityProvider {
  try {
    return readMetadata(parseXml(text, METADATA_LIMITS));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw validationFailed(`SAML Metadata is not valid XML: ${error.message}`);
  }
}

function readMetadata(root: XmlElement): IdentityProvider {
  const entity = entityOf(root);
  const entityId = entity?.attributes.get("entityID") ?? "";
  if (!entity || entityId === "") throw validationFailed("SAML Metadata does not contain an EntityID");
  const descriptors = childrenOf(entity, METADATA, "IDPSSODescriptor");
  const [descriptor] = descriptors;
  if (!descriptor) throw validationFailed("SAML Metadata does not contain any IDPSSODescriptor");
  if (descriptors.length > 1) throw validationFailed("SAML Metadata contains multiple IDPSSODescriptors");
  const signOn = childrenOf(descriptor, METADATA, "SingleSignOnService").find(
    (service) => service.attributes.get("Binding") === REDIRECT_BINDING,
  );
  const validUntil = entity.attributes.get("validUntil");
  const cacheDuration = entity.attributes.get("cacheDuration");
  return {
    entityId,
    signOnUrl: signOn?.attributes.get("Location"),
    certificates: certificatesOf(descriptor),
    validUntil: validUntil ? instantOf(validUntil) : undefined,
    cacheMs: cacheDuration ? durationOf(cacheDuration) : undefined,
  };
}

/** The entity, or in a list of entities the first that is an identity provider. */
function entityOf(root: XmlElement): XmlElement | undefined {
  if (root.namespace !== METADATA) return undefined;
  if (root.name === "EntityDescriptor") return root;
  if (root.name !== "EntitiesDescriptor") return undefined;
  return childrenOf(root, METADATA, "EntityDescriptor").find(
    (entity) => childrenOf(entity, METADATA, "IDPSSODescriptor").length > 0,
  );
}

/** The certificates for signing, or without any such those of no stated use. */
function certificatesOf(descriptor: XmlElement): string[] {
  const keys = childrenOf(descriptor, METADATA, "KeyDescriptor");
  const signing = keys.filter((key) => key.attributes.get("use") === "signing");
  const chosen = signing.length > 0 ? signing : keys.filter((key) => !key.attributes.get("use"));
  return chosen
    .flatMap((key) => [...allOf(key)])
    .filter(({ namespace, name }) => namespace === SIGNATURE && name === "X509Certificate")
    .map(({ text }) => text.replaceAll(/\s/g, ""));
}

/** The certificates that are valid at `now`, as PEM. Text that is not a certificate is left out. */
export function validCertificates(provider: IdentityProvider, now: number): string[] {
  return provider.certificates.flatMap((text) => {
    try {
      const certificate = new X509Certificate(Buffer.from(text, "base64"));
      const from = Date.parse(certificate.validFrom);
      const to = Date.parse(certificate.validTo);
      return from <= now && now <= to ? [certificate.toString()] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Whether metadata from an address must be fetched again: past its end, past its cache duration, or without
 * either after a day.
 */
export function isStale(provider: IdentityProvider, updatedAt: number, now: number): boolean {
  const { validUntil, cacheMs } = provider;
  if (validUntil !== undefined && now > validUntil) return true;
  if (cacheMs) return now > updatedAt + cacheMs;
  return validUntil === undefined && now > updatedAt + DAY_MS;
}

/** The metadata at an address. @throws AuthError saml_metadata_fetch_failed */
export async function fetchMetadata(url: string): Promise<string> {
  const failed = (reason: string) =>
    badRequest("saml_metadata_fetch_failed", `${reason} fetching SAML Metadata from URL '${url}'`);
  try {
    const response = await fetch(url, {
      headers: { accept: "application/xml;charset=UTF-8", "accept-charset": "UTF-8" },
      signal: AbortSignal.timeout(FETCH_MS),
    });
    if (response.status !== 200 || !response.url.startsWith("https:")) {
      await response.body?.cancel();
      throw failed(
        response.status === 200 ? "Redirect to plain HTTP while" : `HTTP ${response.status} error`,
      );
    }
    return await answerText(response, FETCH_LIMIT);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    if (error instanceof AnswerTooLarge) throw failed("Too large an answer");
    const timedOut = error instanceof Error && error.name === "TimeoutError";
    throw failed(timedOut ? "Timeout" : "Network error");
  }
}
