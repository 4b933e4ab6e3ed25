/** The command and the test of docs/mail-codes.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { afterAll, expect, test, vi } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { Project } from "./project.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const page = readFileSync(join(import.meta.dirname, "../../../docs/mail-codes.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "";
const project = new Project({});
let made: TestBackend | undefined;
afterAll(async () => {
  await made?.drop();
  await project.remove();
});

async function signedIn(url: string, key: string, email: string, token: string): Promise<string | undefined> {
  const { auth } = createClient(url, key, { auth: { persistSession: false } });
  const sent = await auth.signInWithOtp({ email });
  if (sent.error) throw sent.error;
  return (await auth.verifyOtp({ email, token, type: "email" })).data.user?.email;
}

test("a start with the page's options prints the codes, and they sign in", async () => {
  const [, ...args] = block("sh").trim().replace("npx homebase ", "").split(" ");
  await project.start(...args);
  for (const [email, code] of [
    ["ana@example.com", "424242"],
    ["ben@example.com", "131313"],
  ] as const) {
    expect(project.output).toContain(`Mails to ${email} have the code ${code}`);
    expect(await signedIn(project.url, project.key, email, code)).toBe(email);
  }
});

test("the page's test signs in", async () => {
  const run = new Function(
    "createBackend",
    "createClient",
    `return (async () => { ${block("ts")}
    return { backend, data }; })();`,
  );
  const { backend, data } = await run(
    (options: object) => createBackend({ bare: true, ...options }),
    (url: string, key: string) => createClient(url, key, { auth: { persistSession: false } }),
  );
  made = backend;
  expect(data.user.email).toBe("ana@example.com");
});
