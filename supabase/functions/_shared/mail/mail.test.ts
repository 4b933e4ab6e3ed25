/**
 * Resend cannot be called from a test: its requests are checked, and its responses are those of its
 * documentation.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Mail, MailNotConfigured, mailer } from "./mail.ts";

const mail: Mail = {
  to: "ben@nosh.test",
  subject: "Soon",
  text: "text",
  html: "<p>",
  headers: { "X-A": "b" },
};
const resend = mailer((name) => ({ RESEND_API_KEY: "re_key", MAIL_FROM: "Nosh <table@nosh.test>" })[name]);

function answering(status: number, body: object) {
  const asked = vi.fn(async () => Response.json(body, { status }));
  vi.stubGlobal("fetch", asked);
  return asked;
}

afterEach(() => void vi.unstubAllGlobals());

describe("Resend", () => {
  it("is given the mail and its name, the same one each time", async () => {
    const asked = answering(200, { id: "1" });
    await resend(mail, "7f");
    await resend(mail, "7f");
    const calls = asked.mock.calls as unknown as [string, RequestInit][];
    expect(calls.map(([url]) => url)).toEqual(Array(2).fill("https://api.resend.com/emails"));
    for (const [, init] of calls) {
      expect(new Headers(init.headers).get("idempotency-key")).toBe("nosh/7f");
      expect(JSON.parse(String(init.body))).toMatchObject({ to: ["ben@nosh.test"], headers: { "X-A": "b" } });
    }
  });

  it("has sent what it is given again with other words", async () => {
    answering(409, {
      statusCode: 409,
      name: "invalid_idempotent_request",
      message: "Same key, other payload",
    });
    await expect(resend(mail, "7f")).resolves.toBeUndefined();
  });

  it("has not sent what is being sent at the same time, nor what it refuses", async () => {
    answering(409, { statusCode: 409, name: "concurrent_idempotent_requests", message: "Wait" });
    await expect(resend(mail, "7f")).rejects.toThrow("409");
    answering(422, { statusCode: 422, name: "validation_error", message: "No such domain" });
    await expect(resend(mail, "7f")).rejects.toThrow("No such domain");
  });
});

it("without a provider says what to set", () => {
  expect(() => mailer(() => undefined)).toThrow(MailNotConfigured);
});
