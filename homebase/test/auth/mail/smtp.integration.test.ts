/** Mails through a configured SMTP server, `[auth.email.smtp]` (docs/compat/auth.md 5). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { adminOf, authBackend, clientOf, PASSWORD } from "../client.ts";
import { SmtpServer } from "./smtp-server.ts";

describe("a mail server in configuration", () => {
  let server: SmtpServer;
  let backend: TestBackend;
  beforeAll(async () => {
    server = await SmtpServer.open();
    backend = await authBackend({
      email: {
        enable_confirmations: true,
        smtp: {
          enabled: true,
          host: "127.0.0.1",
          port: server.port,
          user: "postman",
          pass: "p:w",
          admin_email: "hello@nosh.example",
          sender_name: "Nosh",
        },
      },
      rate_limit: { email_sent: 100 },
    });
  });
  afterAll(async () => {
    await backend.drop();
    await server.close();
  });

  it("gets the mails instead of the inbox, by its login, from the configured sender", async () => {
    const { error } = await clientOf(backend).auth.signUp({ email: "ada@example.com", password: PASSWORD });
    expect(error).toBeNull();
    expect(backend.mails).toEqual([]);
    const mail = server.mails.at(-1);
    expect(mail).toMatchObject({ from: "hello@nosh.example", to: ["ada@example.com"], login: "postman:p:w" });
    expect(mail?.source).toContain("From: Nosh <hello@nosh.example>");
    expect(mail?.source).toMatch(/^Content-Type: text\/html/m);
    // Links are long: quoted-printable breaks them and writes "=" as "=3D".
    const html = (mail?.source ?? "").replaceAll("=\n", "").replaceAll("=3D", "=").replaceAll("&amp;", "&");
    const link = /href="([^"]*\/verify\?[^"]*)"/.exec(html)?.[1] ?? "";
    const followed = await fetch(link, { redirect: "manual" });
    expect(followed.headers.get("location")).toContain("access_token=");
  });

  it("that refuses makes the request fail, and nothing of it stays", async () => {
    server.refusing = true;
    const { error } = await clientOf(backend).auth.signUp({ email: "bob@example.com", password: PASSWORD });
    const [recovery, link] = [
      await clientOf(backend).auth.resetPasswordForEmail("ada@example.com"),
      await clientOf(backend).auth.signInWithOtp({ email: "ada@example.com" }),
    ];
    server.refusing = false;
    expect([error, recovery.error, link.error].map((one) => [one?.status, one?.message])).toEqual([
      [500, "Error sending confirmation email"],
      [500, "Error sending recovery email"],
      [500, "Error sending magic link email"],
    ]);
    const { data } = await adminOf(backend).auth.admin.listUsers();
    expect(data.users.map((user) => user.email)).toEqual(["ada@example.com"]);
    expect(backend.logs.some((entry) => JSON.stringify(entry).includes("nobody here"))).toBe(true);
  });
});
