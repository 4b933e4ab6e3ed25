/** Owns the tests' S3 clients: AWS's own, unmodified, with a local stack's credentials. */
import { S3Client, type S3ClientConfig, type S3ServiceException } from "@aws-sdk/client-s3";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../../src/storage/kit/s3-keys.ts";
import type { TestBackend } from "../../testing.ts";

/** A client with the service's rights. */
export function s3Of(backend: TestBackend, config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: `${backend.url}/storage/v1/s3`,
    region: S3_REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_ACCESS_KEY_SECRET },
    // No retries: tests expect errors.
    maxAttempts: 1,
    ...config,
  });
}

/** A client with the rights of the token's user. */
export function s3AsUser(backend: TestBackend, token: string): S3Client {
  return s3Of(backend, {
    credentials: { accessKeyId: "stub", secretAccessKey: backend.anonKey, sessionToken: token },
  });
}

/** Status, code and message of an error; a success fails the test. */
export async function refused(sent: Promise<unknown>): Promise<[number | undefined, string, string]> {
  const error = await sent.then(
    () => {
      throw new Error("It was not refused.");
    },
    (refusal: S3ServiceException) => refusal,
  );
  if (!error.$metadata) throw error;
  return [error.$metadata.httpStatusCode, error.name, error.message];
}
