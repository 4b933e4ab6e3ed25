/** Owns what tests of responses share: right statements, ways to alter a response, and why one was refused. */
import { expect } from "vitest";
import { fragmentOf } from "../../../test/auth/client.ts";
import type { TestBackend } from "../../testing.ts";
import type { Posted, Statement } from "./identity-provider.ts";
import { EMAIL_ATTRIBUTE, post } from "./project.ts";

export const EVIL = "mallory@example.com";
const REFUSED = "A SAML response was refused";

let last = 0;
/** A right statement about a new person. */
export function right(changes: Statement = {}): Statement {
  last += 1;
  const attributes = { [EMAIL_ATTRIBUTE]: [`person-${last}@example.com`] };
  return { nameId: `person-${last}`, attributes, ...changes };
}

/** The error of a posted response; undefined when it signed somebody in. */
export async function errorOf(backend: TestBackend, posted: Partial<Posted>): Promise<string | undefined> {
  const done = await post(backend, posted);
  if (fragmentOf(done).has("access_token")) return undefined;
  return `${done.searchParams.get("error_code")}: ${done.searchParams.get("error_description")}`;
}
export const INVALID = "validation_failed: SAML Assertion is not valid";

/** The reason in the log of a response that is refused as invalid: a test shows which check refused it. */
export async function reasonOf(backend: TestBackend, posted: Partial<Posted>): Promise<unknown> {
  const before = backend.logs.length;
  expect(await errorOf(backend, posted)).toBe(INVALID);
  return backend.logs.slice(before).find(({ message }) => message === REFUSED)?.fields?.reason;
}

export const xmlOf = ({ SAMLResponse }: Posted) => Buffer.from(SAMLResponse, "base64").toString("utf8");
export const altered = (posted: Posted, change: (xml: string) => string): Posted => {
  const xml = xmlOf(posted);
  const changed = change(xml);
  if (changed === xml) throw new Error("The response is unchanged.");
  return { ...posted, SAMLResponse: Buffer.from(changed).toString("base64") };
};

export const assertionIn = (xml: string) => /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? "";
export const signatureIn = (xml: string) =>
  /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml)?.[0] ??
  /<Signature[\s\S]*<\/Signature>/.exec(xml)?.[0] ??
  "";

/** An assertion of the attacker, from a signed one: another address and id, and no signature. */
export const evilOf = (signed: string) =>
  signed
    .replace(signatureIn(signed), "")
    .replace(/person-\d+@example.com/, EVIL)
    .replace(/(<saml:NameID[^>]*>)[^<]*/, "$1mallory")
    .replace(/ ID="[^"]*"/, ' ID="_evil"');
