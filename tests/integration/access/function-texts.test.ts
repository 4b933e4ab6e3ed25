/** Functions, text that Postgres cannot store, and tokens that REST refuses: an error of the caller, never of the function. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const names = readdirSync(join(root, "supabase/functions")).filter((name) => /^[a-z]/.test(name));
let token: string;
const backend = await forThisFile(createBackend());
beforeAll(async () => {
  expect(checked).toContain("send-invites");
  const answer = await fetch(`${backend.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": "application/json" },
    body: "{}",
  });
  token = ((await answer.json()) as { access_token?: string }).access_token ?? backend.publishableKey;
});

/** The functions whose tokens the platform checks. The others have secrets of their own, or need none. */
const config = readFileSync(join(root, "supabase/config.toml"), "utf8");
const checked = new Set(
  [...config.matchAll(/^\[functions\.([\w-]+)\]\nenabled = true\nverify_jwt = true$/gm)].map(
    ([, name]) => name,
  ),
);

const BODIES = [
  '{"token":"\\u0000","words":"\\u0000","url":"\\u0000","plan_id":"\\u0000","text":"\\u0000"}',
  '{"\\u0000":1}',
  '{"token":"\\ud800","words":["\\udfff"],"addresses":["\\ud800"]}',
];

test.each(names)("%s", async (name) => {
  const headers = {
    apikey: backend.publishableKey,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  };
  const address = `${backend.url}/functions/v1/${name}`;
  for (const body of BODIES) {
    const { status } = await fetch(address, { method: "POST", headers, body });
    expect([body, status >= 400 && status < 500]).toEqual([body, true]);
  }
  for (const query of ["token=%00", "token=a%00b&plan=%00", "%00=1"]) {
    const { status } = await fetch(`${address}?${query}`, { headers, redirect: "manual" });
    expect([query, status >= 400 && status < 500]).toEqual([query, true]);
  }
});

test.each(names)("%s does not fail over a token that REST refuses", async (name) => {
  for (const refused of ["no.token.atall", `${token.slice(0, -4)}AAAA`]) {
    const headers = {
      apikey: backend.publishableKey,
      authorization: `Bearer ${refused}`,
      "content-type": "application/json",
    };
    const address = `${backend.url}/functions/v1/${name}?plan=${crypto.randomUUID()}`;
    for (const init of [{ headers }, { headers, method: "POST", body: "{}" }]) {
      const { status } = await fetch(address, init);
      expect([refused, checked.has(name) ? status : status < 500]).toEqual([
        refused,
        checked.has(name) ? 401 : true,
      ]);
    }
  }
});
