/**
 * Owns mapping a signed request to a caller: an access key is the service role, a session token is a user, to
 * whom policies apply (docs/compat/storage.md 1.10).
 */

import type { ServiceRequest } from "../../src/http/exchange.ts";
import { requireOwnRole } from "../../src/http/secret-rights.ts";
import type { ServiceContext } from "../../src/service-context.ts";
import { type Caller, requireToken } from "../../src/storage/kit/caller.ts";
import { accessDenied, StorageError } from "../../src/storage/kit/errors.ts";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../src/storage/kit/s3-keys.ts";
import {
  ALGORITHM,
  type ClientSignature,
  readHeaderSignature,
  readQuerySignature,
  type SignedRequest,
  Signer,
} from "./signature.ts";

const PUBLIC_PREFIX = "/storage/v1";
/** The id of a local stack's only project. */
const LOCAL_PROJECT = "stub";

/** A caller with a verified signature, and the state for verifying the body's chunks. */
export interface Signed {
  caller: Caller;
  client: ClientSignature;
  signer: Signer;
}

/**
 * Verifies a request's signature. @throws AccessDenied, InvalidSignature, SignatureDoesNotMatch,
 * ExpiredToken, InvalidJWT
 */
export async function authenticate(
  context: ServiceContext,
  request: ServiceRequest,
  query: ReadonlyMap<string, string>,
): Promise<Signed> {
  const client = readSignature(context, request, query);
  const signed: SignedRequest = {
    method: request.method,
    // No header of the request says the prefix: with another one, what was signed for `mine/s3/b/yours` opens `b/yours`.
    path: PUBLIC_PREFIX + request.path,
    query,
    headers: request.headers,
  };
  const found = await authenticateWith(context, request, client, (signer) => signer.signed(client, signed));
  refuseUnsigned(request, client);
  return found;
}

/** What the signature holds by itself, or what decides nothing. */
const UNSIGNED = ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token", "x-amz-user-agent"];

/**
 * Refuses headers of S3 that were not signed, as AWS does: who was given a presigned URL for an upload could copy any
 * object of the signer's with `x-amz-copy-source`. @throws AccessDenied
 */
function refuseUnsigned({ headers }: ServiceRequest, { signedHeaders }: ClientSignature): void {
  const signed = new Set(signedHeaders.map((name) => name.toLowerCase()));
  const other = Object.keys(headers).find(
    (name) => name.startsWith("x-amz-") && !signed.has(name) && !UNSIGNED.includes(name),
  );
  if (other !== undefined)
    throw accessDenied("There were headers present in the request which were not signed");
}

/** Finds the secret and the caller of a signature. */
export async function authenticateWith(
  context: ServiceContext,
  request: ServiceRequest,
  client: ClientSignature,
  holds: (signer: Signer) => boolean,
): Promise<Signed> {
  const { sessionToken } = client;
  const project = context.config.project_id;
  const known = sessionToken === undefined ? [S3_ACCESS_KEY_ID] : [LOCAL_PROJECT, project];
  if (!known.includes(client.accessKey)) throw accessDenied("Invalid Access Key");
  const { anonKey, publishableKey } = context.keys;
  const secrets =
    sessionToken === undefined ? [S3_ACCESS_KEY_SECRET] : [anonKey, publishableKey, client.accessKey];
  const signer = secrets.map((secret) => new Signer(secret, client, S3_REGION)).find(holds);
  if (!signer) throw mismatch(sessionToken !== undefined);
  return { caller: await callerOf(context, request, sessionToken), client, signer };
}

function readSignature(
  context: ServiceContext,
  request: ServiceRequest,
  query: ReadonlyMap<string, string>,
): ClientSignature {
  // A presigned URL ignores an Authorization header of another scheme.
  if (request.headers.authorization?.startsWith(`${ALGORITHM} `)) return readHeaderSignature(request.headers);
  if (query.has("X-Amz-Credential")) return readQuerySignature(query, context.clock.now());
  throw accessDenied("Missing signature");
}

async function callerOf(
  context: ServiceContext,
  request: ServiceRequest,
  sessionToken: string | undefined,
): Promise<Caller> {
  if (sessionToken !== undefined) {
    return requireToken(context, request, sessionToken).catch((error: unknown) => {
      throw error instanceof StorageError ? new StorageError("InvalidJWT", error.message) : error;
    });
  }
  await requireOwnRole(context.database, request.foreign, "service_role");
  return {
    role: "service_role",
    subject: undefined,
    claims: { role: "service_role" },
    token: context.keys.serviceRoleKey,
  };
}

export function mismatch(withToken = false): StorageError {
  const end = withToken
    ? ", Check your credentials. The session token should be a valid JWT token"
    : ". Check your key and signing method.";
  return new StorageError(
    "SignatureDoesNotMatch",
    `The request signature we calculated does not match the signature you provided${end}`,
  );
}
