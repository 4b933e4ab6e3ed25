/** Tests api_keys.ts. */
import { expect, it } from "vitest";
import { apiKey } from "./api_keys.ts";

const from = (variables: Record<string, string>) => (name: string) => variables[name];
const legacy = { SUPABASE_ANON_KEY: "anon", SUPABASE_SERVICE_ROLE_KEY: "service" };

it.each([
  ["the legacy keys where there are no others", legacy, ["anon", "service"]],
  [
    "the key named default of the new ones",
    {
      ...legacy,
      SUPABASE_PUBLISHABLE_KEYS: '{"web":"sb_publishable_b","default":"sb_publishable_a"}',
      SUPABASE_SECRET_KEYS: '{"jobs":"sb_secret_b"}',
    },
    ["sb_publishable_a", "sb_secret_b"],
  ],
  [
    "the legacy keys where the new ones are empty or no object",
    { ...legacy, SUPABASE_PUBLISHABLE_KEYS: "{}", SUPABASE_SECRET_KEYS: "none" },
    ["anon", "service"],
  ],
])("takes %s", (_what, variables, expected) => {
  const read = from(variables);
  expect([apiKey("publishable", read), apiKey("secret", read)]).toEqual(expected);
});

it("says which variables it looked at", () => {
  expect(() => apiKey("secret", () => undefined)).toThrow(
    "Neither SUPABASE_SECRET_KEYS nor SUPABASE_SERVICE_ROLE_KEY holds a key",
  );
});
