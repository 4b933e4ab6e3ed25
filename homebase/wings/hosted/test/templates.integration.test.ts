/** Mail templates of the stand-in for hosted: the standard ones, and those that are set. */
import { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { startHosted } from "../index.ts";
import { callerOf } from "./api.ts";

const hosted = await forThisFile(startHosted({ cluster: await testCluster(process.cwd()) }));
const call = callerOf(hosted);

const client = () =>
  createClient(hosted.project.url, hosted.project.keys.publishableKey, { auth: { persistSession: false } });

test("a new project's templates are those of the mails it sends, and a changed one is what is sent", async () => {
  const { body: fresh } = await call("GET", "/config/auth");
  const texts = Object.entries(fresh).filter(([name]) => name.startsWith("mailer_templates_"));
  expect(texts).toHaveLength(13);
  for (const [name, text] of texts) expect([name, text]).toEqual([name, expect.stringContaining("<h2")]);
  // The whole configuration has what `config diff` compares.
  const whole = (await call("GET", `/v2/projects/${hosted.project.ref}/config`)).body.data.attributes.auth;
  expect(whole.mailer_templates_recovery_content).toBe(fresh.mailer_templates_recovery_content);

  // Another address for each mail: one address gets one a minute.
  const recovery = async (email: string) => {
    const admin = createClient(hosted.project.url, hosted.project.keys.secretKey).auth.admin;
    expect((await admin.createUser({ email, email_confirm: true })).error).toBeNull();
    expect((await client().auth.resetPasswordForEmail(email)).error).toBeNull();
    return hosted.project.mails.findLast(({ to }) => to[0]?.address === email);
  };
  const change = (text: string | null, subject: string | null) =>
    call("PATCH", "/config/auth", {
      mailer_templates_recovery_content: text,
      mailer_subjects_recovery: subject,
    });
  const before = await recovery("cleo@example.org");
  const text = String(fresh.mailer_templates_recovery_content).replaceAll("{{ .Email }}", "cleo@example.org");
  const beginning = text.slice(0, text.indexOf("{{"));
  expect(before).toMatchObject({ subject: "Reset your password", html: expect.stringContaining(beginning) });

  await change("<p>Our own: {{ .Token }}</p>", "Our own subject");
  expect(await recovery("dora@example.org")).toMatchObject({
    subject: "Our own subject",
    html: expect.stringMatching(/^<p>Our own: \d{6}<\/p>$/),
  });
  // Without a text of its own the standard one applies again.
  const { body: back } = await change(null, "");
  expect(back).toMatchObject({
    mailer_templates_recovery_content: fresh.mailer_templates_recovery_content,
    mailer_subjects_recovery: "Reset your password",
  });
  expect(await recovery("emil@example.org")).toMatchObject({
    subject: "Reset your password",
    html: expect.stringContaining("Reset password"),
  });
});
