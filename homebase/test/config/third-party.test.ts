/** Sections of other issuers: what each needs, and which can be enabled. */
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { otherIssuerOf } from "../../src/config/third-party.ts";
import { projectWith } from "../background/project.ts";

const load = (toml: string) => {
  const { auth, warnings } = loadConfig({ named: projectWith(toml), environment: {} });
  return { issuer: otherIssuerOf(auth)?.issuer, warnings };
};

test.each([
  ["clerk", 'domain = "a.clerk.accounts.dev"', "https://a.clerk.accounts.dev"],
  ["auth0", 'tenant = "t"', "https://t.auth0.com/"],
  ["auth0", 'tenant = "t"\ntenant_region = "eu"', "https://t.eu.auth0.com/"],
  ["firebase", 'project_id = "p-1"', "https://securetoken.google.com/p-1"],
  [
    "aws_cognito",
    'user_pool_id = "eu-1_X"\nuser_pool_region = "eu-1"',
    "https://cognito-idp.eu-1.amazonaws.com/eu-1_X",
  ],
  ["workos", 'issuer_url = "https://api.workos.com/x"', "https://api.workos.com/x"],
])("%s (%s) is the issuer %s", (name, members, issuer) => {
  expect(load(`[auth.third_party.${name}]\nenabled = true\n${members}\n`)).toEqual({ issuer, warnings: [] });
  expect(load(`[auth.third_party.${name}]\nenabled = false\n${members}\n`).issuer).toBeUndefined();
});

test.each([
  ["clerk", "", "domain is missing"],
  ["clerk", 'domain = "a.dev/../b"', 'domain is "a.dev/../b"'],
  ["clerk", 'domain = "user:password@a.dev"', 'domain is "user:password@a.dev"'],
  ["aws_cognito", 'user_pool_id = "x"', "user_pool_region is missing"],
  ["workos", 'issuer_url = "http://elsewhere.example"', 'issuer_url is "http://elsewhere.example"'],
  ["workos", 'issuer_url = "file:///etc/passwd"', 'issuer_url is "file:///etc/passwd"'],
])("%s with [%s] is named, and its tokens are refused", (name, members, fault) => {
  const { issuer, warnings } = load(`[auth.third_party.${name}]\nenabled = true\n${members}\n`);
  expect(issuer).toBeUndefined();
  expect(warnings).toEqual([`auth.third_party.${name}.${fault}: tokens of ${name} are refused.`]);
});

test("two that are enabled are an error", () => {
  const two = ["clerk", "firebase"].map((name) => `[auth.third_party.${name}]\nenabled = true\n`).join("");
  expect(() => load(two)).toThrow(/clerk and firebase are enabled/);
});
