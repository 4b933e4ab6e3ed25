/**
 * Owns the two WebAuthn ceremonies, registration and authentication, for the relying party in the
 * configuration (https://www.w3.org/TR/webauthn-3/ 7.1, 7.2). Second factors and passkeys use it. The library
 * is loaded on first use.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { z } from "zod";
import type { Auth } from "../kit/auth.ts";

/** EdDSA, ES256, RS256: every authenticator supports at least one. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = 300_000;

const response = z.looseObject({
  id: z.string().min(1),
  rawId: z.string().min(1),
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
});
const creation = response.extend({
  response: z.looseObject({ clientDataJSON: z.string(), attestationObject: z.string() }),
});
const assertion = response.extend({
  response: z.looseObject({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
    userHandle: z.string().optional(),
  }),
});

/** A well-formed registration response from the browser; undefined when malformed. */
export function readCreation(value: unknown): RegistrationResponseJSON | undefined {
  const parsed = creation.safeParse(value);
  return parsed.success ? (parsed.data as unknown as RegistrationResponseJSON) : undefined;
}

/** A well-formed authentication response from the browser; undefined when malformed. */
export function readAssertion(value: unknown): AuthenticationResponseJSON | undefined {
  const parsed = assertion.safeParse(value);
  return parsed.success ? (parsed.data as unknown as AuthenticationResponseJSON) : undefined;
}

/** A registered credential. */
export interface StoredCredential {
  /** Base64url. */
  id: string;
  /** COSE. */
  publicKey: Uint8Array;
  counter: number;
  transports: string[];
}

/** The result of a registration. */
export interface RegisteredCredential extends StoredCredential {
  aaguid: string;
  backupEligible: boolean;
  backedUp: boolean;
}

interface Party {
  id: string;
  name: string;
  origins: string[];
}

/**
 * The relying party. Defaults to the site's host. Browsers reject IP addresses, so a loopback address becomes
 * localhost.
 */
function relyingParty({ config }: Auth): Party {
  const { rp_id: id, rp_display_name: name, rp_origins: origins } = config.webauthn;
  const site = new URL(URL.canParse(config.site_url) ? config.site_url : "http://localhost");
  const host = site.hostname === "127.0.0.1" ? "localhost" : site.hostname;
  const own = new URL(site);
  own.hostname = host;
  return {
    id: id || host,
    name: name || host,
    origins: origins.length > 0 ? origins : [...new Set([site.origin, own.origin])],
  };
}

/** The user that a registration is for. */
export interface Registrant {
  /** The user's UUID; its text is the user handle. */
  id: string;
  name: string;
  /** Credentials to exclude from registration. */
  present: { id: string; transports: string[] }[];
  /** Whether the credential must be discoverable without a user name, as a passkey is. */
  discoverable: boolean;
}

/** Options for `navigator.credentials.create`. */
export async function creationOptions(
  auth: Auth,
  registrant: Registrant,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const party = relyingParty(auth);
  const {
    hints: _hints,
    extensions: _extensions,
    ...options
  } = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: new TextEncoder().encode(registrant.id),
    userName: registrant.name,
    userDisplayName: registrant.name,
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: registrant.present.map(descriptor),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: {
      ...(registrant.discoverable ? { residentKey: "required", requireResidentKey: true } : {}),
      userVerification: "preferred",
    },
  });
  return options;
}

/**
 * The parts of a stored credential that a browser receives; the public key and counter stay on the server.
 */
function descriptor({ id, transports }: { id: string; transports: string[] }): {
  id: string;
  transports: string[];
} {
  return { id, transports };
}

/** Options for `navigator.credentials.get`; any discoverable credential when `allowed` is undefined. */
export async function requestOptions(
  auth: Auth,
  allowed?: { id: string; transports: string[] }[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  return generateAuthenticationOptions({
    rpID: relyingParty(auth).id,
    timeout: TIMEOUT_MS,
    userVerification: "preferred",
    ...(allowed ? { allowCredentials: allowed.map(descriptor) } : {}),
  });
}

/**
 * Verifies a registration. @returns the credential. @throws when the response does not match `challenge` or
 * the relying party.
 */
export async function verifyCreation(
  auth: Auth,
  challenge: string,
  answer: RegistrationResponseJSON,
): Promise<RegisteredCredential> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const party = relyingParty(auth);
  const { verified, registrationInfo: info } = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  });
  if (!verified) throw new Error("The attestation does not hold.");
  return {
    id: info.credential.id,
    publicKey: info.credential.publicKey,
    counter: info.credential.counter,
    transports: info.credential.transports ?? [],
    aaguid: info.aaguid,
    backupEligible: info.credentialDeviceType === "multiDevice",
    backedUp: info.credentialBackedUp,
  };
}

/**
 * Verifies an authentication. @returns the credential's new counter. @throws when the response does not match
 * `challenge` or the credential.
 */
export async function verifyAssertion(
  auth: Auth,
  challenge: string,
  answer: AuthenticationResponseJSON,
  credential: StoredCredential,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const party = relyingParty(auth);
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: false,
    credential: {
      id: credential.id,
      publicKey: new Uint8Array(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports,
    },
  });
  if (!verified) throw new Error("The signature does not hold.");
  return authenticationInfo.newCounter;
}
