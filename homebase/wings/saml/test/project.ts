/** Owns a Backend with SAML on for tests, and the steps that a browser takes in a sign-in. */
import { generateKeyPairSync } from "node:crypto";
import { PROJECT } from "../../../test/auth/client.ts";
import { createBackend, type TestBackend } from "../../testing.ts";
import type { Posted, SamlIdentityProvider } from "./identity-provider.ts";

export const SITE = "http://127.0.0.1:3000";
export const APP = `${SITE}/welcome`;
export const EMAIL_ATTRIBUTE = "urn:oid:0.9.2342.19200300.100.1.3";

const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
/** In the format of GOTRUE_SAML_PRIVATE_KEY. */
export const PRIVATE_KEY = key.export({ type: "pkcs1", format: "der" }).toString("base64");

/** A Backend of a default project with SAML on. */
export function samlBackend(
  environment: Record<string, string> = {},
  auth: Record<string, unknown> = {},
): Promise<TestBackend> {
  return createBackend({
    projectFolder: PROJECT,
    bare: true,
    config: {
      auth,
      environment: { GOTRUE_SAML_ENABLED: "true", GOTRUE_SAML_PRIVATE_KEY: PRIVATE_KEY, ...environment },
    },
  });
}

/** A request of an administrator; the body in JSON. */
export async function admin(
  backend: TestBackend,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, never> & { [name: string]: unknown } }> {
  const response = await fetch(`${backend.url}/auth/v1/admin/sso/providers${path}`, {
    method,
    headers: { apikey: backend.secretKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as never };
}

/** Connects a provider as an administrator does, and gives it this project's metadata. @returns its id. */
export async function connect(
  backend: TestBackend,
  provider: SamlIdentityProvider,
  more: Record<string, unknown> = {},
): Promise<string> {
  const response = await fetch(`${backend.url}/auth/v1/sso/saml/metadata`);
  provider.serviceMetadata = await response.text();
  const body = { type: "saml", metadata_xml: provider.metadata, ...more };
  const { status, body: created } = await admin(backend, "POST", "", body);
  if (status !== 201) throw new Error(JSON.stringify(created));
  return String(created.id);
}

/** Posts a response as the browser does. @returns where it is sent. */
export async function post(backend: TestBackend, posted: Partial<Posted>): Promise<URL> {
  const response = await fetch(`${backend.url}/auth/v1/sso/saml/acs`, {
    method: "POST",
    body: new URLSearchParams(posted),
    redirect: "manual",
  });
  const location = response.headers.get("location");
  if (!location) throw new Error(`${response.status} ${await response.text()}`);
  return new URL(location);
}
