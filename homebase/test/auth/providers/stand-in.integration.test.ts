/** The page in a provider's place, and pages, scripts and hosts that are not its own. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { exchange, statusOf } from "../../http/raw.ts";
import { adminOf, authBackend, clientOf } from "../client.ts";

const provider = { enabled: true, client_id: "client", secret: "secret", url: "", email_optional: false };
const ada = { email: "Ada@Example.com", name: "Ada Lovelace", verified: "true" };

const backend = await forThisFile(authBackend({ external: { github: provider, google: provider } }));

/** The URL of the provider's page for a new sign-in. */
async function start(client: ReturnType<typeof clientOf>): Promise<URL> {
  const { data } = await client.auth.signInWithOAuth({
    provider: "github",
    options: { redirectTo: "http://127.0.0.1:3000/", skipBrowserRedirect: true },
  });
  const response = await fetch(data.url ?? "", { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "missing:");
}

describe("the page in the provider's place, and strangers", () => {
  const EVIL = "https://evil.example";
  const send = (url: URL | string, headers: Record<string, string>, form?: Record<string, string>) =>
    fetch(url, {
      redirect: "manual",
      headers,
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    });

  it("can be read by its own origin only, and lists accounts for nobody else", async () => {
    await adminOf(backend).auth.admin.createUser({ email: "listed@example.com", email_confirm: true });
    const page = await start(clientOf(backend));
    const list = async (headers: Record<string, string>) => {
      // Node's fetch sets Sec-Fetch-Mode itself.
      const lines = Object.entries({ host: page.host, connection: "close", ...headers });
      const answer = await exchange(
        backend.url,
        `GET ${page.pathname}${page.search} HTTP/1.1\r\n${lines.map((line) => line.join(": ")).join("\r\n")}\r\n\r\n`,
      );
      expect([statusOf(answer), /access-control-allow-origin/i.test(answer)]).toEqual([200, false]);
      return answer.includes("listed@example.com");
    };
    expect(await list({ "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site" })).toBe(true);
    expect(await list({})).toBe(true);
    expect(await list({ origin: EVIL, "sec-fetch-mode": "cors" })).toBe(false);
    expect(await list({ "sec-fetch-mode": "no-cors", "sec-fetch-site": "cross-site" })).toBe(false);
    expect(await list({ origin: "null" })).toBe(false);
    // Headers that confuse paths do not open it either.
    const doubled = String(page).replace("/homebase/oauth/", "/homebase//oauth/");
    expect((await send(doubled, { origin: EVIL })).headers.get("access-control-allow-origin")).toBe(null);
    const preflight = await fetch(page, {
      method: "OPTIONS",
      headers: { origin: EVIL, "access-control-request-method": "POST" },
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(null);
  });

  it("takes its form from itself only", async () => {
    const page = await start(clientOf(backend, { pkce: true }));
    for (const headers of [
      { origin: EVIL },
      { origin: "null" },
      { origin: "http://localhost:5173" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      const refused = await send(page, headers, ada);
      expect([headers, refused.status, refused.headers.get("location")]).toEqual([headers, 403, null]);
    }
    expect((await send(page, { origin: backend.url, "sec-fetch-site": "same-origin" }, ada)).status).toBe(
      302,
    );
  });

  it("is under its own host names only", async () => {
    const { pathname, search } = await start(clientOf(backend));
    for (const method of ["GET", "POST"]) {
      const request = `${method} ${pathname}${search} HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
      expect(statusOf(await exchange(backend.url, request))).toBe(403);
    }
  });

  it("issues ID tokens to no foreign page", async () => {
    const address = `${backend.url}/auth/v1/homebase/oauth/google/token`;
    const form = { email: "ada@example.com" };
    expect((await send(address, { origin: EVIL }, form)).status).toBe(403);
    expect((await send(address, { origin: "http://localhost:5173" }, form)).status).toBe(200);
  });
});
