/** Timeouts and retries of hooks: five seconds in all, and three attempts when the hook requests a retry. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestBackend } from "../../../src/testing/index.ts";
import { authBackend, PASSWORD } from "../client.ts";

let backend: TestBackend;
let tries = 0;
let sent = 0;
const MOST_SENT = 500 * 1024 ** 2;

/** The URL selects the behaviour; the mail's recipient is in Auth's request. */
const server = createServer(async (incoming, outgoing) => {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  if (text.includes("silent@example.com")) return;
  if (text.includes("endless@example.com")) {
    // Larger than the limit; the connection is closed long before its end.
    outgoing.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(64 * 1024, " ");
    const more = () => {
      sent += piece.length;
      if (sent < MOST_SENT) outgoing.write(piece, () => setImmediate(more));
      else outgoing.end("{}");
    };
    outgoing.on("error", () => {});
    more();
    return;
  }
  if (text.includes("halting@example.com")) {
    outgoing.writeHead(200, { "content-type": "application/json" }).write("{");
    return;
  }
  tries += 1;
  outgoing.writeHead(503, { "retry-after": "true" }).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  backend = await authBackend({
    email: { enable_confirmations: true },
    hook: { send_email: { enabled: true, uri, secrets: "v1,whsec_c2VjcmV0" } },
  });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await backend?.drop();
});

async function signUp(email: string): Promise<unknown> {
  const answer = await fetch(`${backend.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: backend.publishableKey },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return answer.json();
}

describe.concurrent("a hook that", () => {
  it("never answers ends the request after five seconds", async () => {
    expect(await signUp("silent@example.com")).toMatchObject({
      code: 422,
      error_code: "hook_timeout",
      msg: "Failed to reach hook within maximum time of 5.000000 seconds",
    });
    expect(await backend.sql("select 1 from auth.users where email = 'silent@example.com'")).toEqual([]);
  });

  it("halts in the middle of its answer ends the request after five seconds", async () => {
    expect(await signUp("halting@example.com")).toMatchObject({ code: 422, error_code: "hook_timeout" });
  });

  it("answers without an end is read no further than allowed", async () => {
    expect(await signUp("endless@example.com")).toMatchObject({
      code: 422,
      error_code: "hook_payload_over_size_limit",
      msg: "Payload size exceeded size limit of 204800 bytes",
    });
    expect(sent).toBeLessThan(MOST_SENT / 2);
  });

  it("asks to be tried again is asked three times", async () => {
    expect(await signUp("busy@example.com")).toMatchObject({
      code: 422,
      error_code: "hook_timeout_after_retry",
      msg: "Service currently unavailable due to hook",
    });
    expect(tries).toBe(3);
  });
});
