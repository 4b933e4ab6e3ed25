/** Choosing the tests' backend, and skipping what it cannot do. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { backendFor, ownSettings, targetOf } from "../target/target.ts";

const TARGET = {
  NOSH_TARGET_URL: "https://abc.supabase.co/",
  NOSH_TARGET_PUBLISHABLE_KEY: "sb_publishable_x",
  NOSH_TARGET_SECRET_KEY: "sb_secret_x",
};
afterEach(() => vi.unstubAllEnvs());
class Skipped extends Error {}
const skip = (reason: string): never => {
  throw new Skipped(reason);
};

test("without an address it is Homebase; half a target is an error", () => {
  expect(targetOf({})).toBeUndefined();
  expect(targetOf(TARGET)).toMatchObject({ url: "https://abc.supabase.co", resettable: false });
  expect(() => targetOf({ ...TARGET, NOSH_TARGET_SECRET_KEY: "" })).toThrow("NOSH_TARGET_SECRET_KEY");
});

test("nothing is removed from a target unless the environment says so in full", () => {
  expect(targetOf({ ...TARGET, NOSH_TARGET_RESET: "1" })?.resettable).toBe(false);
  expect(targetOf({ ...TARGET, NOSH_TARGET_RESET: "yes" })?.resettable).toBe(true);
});

test("what a target cannot do is skipped with its reason", async () => {
  for (const [name, value] of Object.entries(TARGET)) vi.stubEnv(name, value);
  const backend = await backendFor({}, skip);
  expect(backend.url).toBe("https://abc.supabase.co");
  expect(() => backend.clock.advance(1)).toThrow("moves the clock");
  expect(() => backend.mails.length).toThrow("reads the inbox");
  expect(() => backend.databaseUrl).toThrow("NOSH_TARGET_DB_URL");
  await expect(backend.sql("select 1")).rejects.toThrow(Skipped);
  await expect(backendFor({ config: { auth: {} } }, skip)).rejects.toThrow("settings of its own");
});

test("each file that is left out is there", () => {
  const files = readdirSync(join(import.meta.dirname, "..", "integration"), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(Object.keys(ownSettings)));
});
