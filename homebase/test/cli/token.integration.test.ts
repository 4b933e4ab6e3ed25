/** `homebase token`, by the commands of docs/other-issuers.md, and codes of mails that a start fixes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { afterAll, expect, test, vi } from "vitest";
import { Project } from "./project.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const page = readFileSync(join(import.meta.dirname, "../../../docs/other-issuers.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
/** The page's command lines, as arguments. */
const commands = block("sh")
  .trim()
  .split("\n")
  .map((line) =>
    [...line.replace("npx homebase ", "").matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? ""),
  );

const project = new Project({
  "config.toml": block("toml"),
  "migrations/20260101000000_a.sql":
    "create function public.who() returns json language sql as $$ select auth.jwt() $$;",
});
afterAll(() => project.remove());

test("the page's commands make tokens that the running stack takes, and wrong options say what to do", async () => {
  for (const [code, said] of [
    ["ana", "--mail-code is ADDRESS=CODE"],
    ["*@example.com=123456", "is no address"],
  ] as const)
    expect((await project.run("start", "--mail-code", code)).stderr).toContain(said);
  await project.start("--mail-code", "ana@example.com=424242");
  expect(project.output).toContain("Mails to ana@example.com have the code 424242");
  expect(commands).toHaveLength(2);
  for (const [args, claims, seconds] of [
    [commands[0], {}, 3_600],
    [commands[1], { org_id: "org_1" }, 60],
  ] as const) {
    const { code, stdout, stderr } = await project.run(...(args ?? []));
    expect([code, stderr]).toEqual([0, ""]);
    const { iat = 0, exp = 0 } = decodeJwt(stdout);
    expect(exp - iat).toBe(seconds);
    const answer = await fetch(`${project.url}/rest/v1/rpc/who`, {
      headers: { apikey: project.key, authorization: `Bearer ${stdout.trim()}` },
    });
    expect(await answer.json()).toMatchObject({
      iss: "https://example.clerk.accounts.dev",
      sub: "user_2abc",
      role: "authenticated",
      ...claims,
    });
  }
  for (const [args, said] of [
    [["--sub", "a", "--issuer", "auth0"], "config.toml enables clerk, not auth0."],
    [["--sub", "a", "--role", "service_role"], "--role is authenticated or anon"],
    [["--sub", "a", "--claims", "[]"], "--claims is a JSON object"],
    [["--sub", "a", "--expires", "soon"], "--expires is a number of seconds"],
    [[], "--sub ID"],
  ] as const)
    expect((await project.run("token", ...args)).stderr).toContain(said);
});
