/** The advisors of the stand-in for hosted: what the database's lints find, and what Auth's settings show. */
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { startHosted } from "../index.ts";
import { callerOf } from "./api.ts";

const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()) }));
const call = callerOf(hosted);

test("the advisors find a table without row security and a foreign key without an index", async () => {
  await call("POST", "/database/query", {
    query: `create table public.advised (id int primary key, parent int references public.advised);
      grant select on public.advised to anon;
      create function public.advised_path() returns int language sql as 'select 1'`,
  });
  const named = async (kind: string) =>
    (await call("GET", `/advisors/${kind}`)).body.lints.filter((lint: { cache_key: string }) =>
      lint.cache_key.includes("advised"),
    );
  expect(await named("security")).toEqual([
    expect.objectContaining({ name: "rls_disabled_in_public", level: "ERROR" }),
    expect.objectContaining({ name: "function_search_path_mutable", level: "WARN" }),
  ]);
  expect(await named("performance")).toEqual([expect.objectContaining({ name: "unindexed_foreign_keys" })]);
  await call("POST", "/database/query", { query: "create index on public.advised (parent)" });
  expect(await named("performance")).toEqual([expect.objectContaining({ name: "unused_index" })]);
});

test("the advisors look at Auth's settings too", async () => {
  const said = async () =>
    (await call("GET", "/advisors/security")).body.lints.filter(
      ({ name }: { name: string }) => name.startsWith("auth_") && name !== "auth_users_exposed",
    );
  const metadata = { type: "auth", entity: "Auth" };
  const leaked = {
    name: "auth_leaked_password_protection",
    title: "Leaked Password Protection Disabled",
    level: "WARN",
    facing: "EXTERNAL",
    categories: ["SECURITY"],
    description: expect.any(String),
    detail: expect.any(String),
    remediation:
      "https://supabase.com/docs/guides/auth/password-security#password-strength-and-leaked-password-protection",
    metadata,
    cache_key: "auth_leaked_password_protection",
  };
  expect(await said()).toEqual([leaked]);
  const change = (body: unknown) => call("PATCH", "/config/auth", body);
  await change({ password_hibp_enabled: true, mailer_otp_exp: 3601 });
  expect(await said()).toEqual([
    {
      ...leaked,
      name: "auth_otp_long_expiry",
      title: "Auth OTP long expiry",
      remediation: "https://supabase.com/docs/guides/platform/going-into-prod#security",
      cache_key: "auth_otp_long_expiry",
    },
  ]);
  await change({ password_hibp_enabled: false, mailer_otp_exp: 3600 });
});
