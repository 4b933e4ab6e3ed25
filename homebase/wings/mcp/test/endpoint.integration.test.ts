/** Who reaches `/mcp`, and what the protocol's messages are answered with. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { COMMAND } from "../../../test/command.ts";
import { startHosted } from "../../hosted/index.ts";
import { McpStack } from "./stack.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stack = new McpStack();
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const port = () => new URL(stack.url).port;

beforeAll(() => stack.start());
afterAll(() => stack.project.remove());

/** A request with exactly these headers, which fetch does not send. */
function raw(
  headers: Record<string, string>,
  method = "POST",
): Promise<{ status: number; body: string; cors: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(stack.url, { method, headers }, (incoming) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          body,
          cors: incoming.headers["access-control-allow-origin"],
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(method === "POST" ? JSON.stringify(PING) : undefined);
  });
}

const own = () => ({ authorization: `Bearer ${stack.token}`, "content-type": "application/json" });

describe("who may", () => {
  test("status shows the address and this start's token, which no file, no log and no terminal has", async () => {
    await stack.tool("execute_sql", { query: "select * from nowhere" });
    expect(stack.url).toBe(`${stack.project.url}/mcp`);
    expect(stack.token).toMatch(/^[\w-]{43}$/);
    const files = readdirSync(stack.project.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes("/data/"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((text) => text.includes(stack.token))).toEqual([]);
    expect((await stack.project.run("logs", "-n", "1000")).stdout).not.toContain(stack.token);
    expect(stack.project.output).not.toContain("nowhere");
    expect(stack.project.output).not.toContain(stack.token);
    expect(await stack.post(PING)).toMatchObject({ status: 200, body: { result: {} } });
  });

  test.each([
    ["no token", () => ({ authorization: "" })],
    ["another token", () => ({ authorization: `Bearer ${"x".repeat(43)}` })],
    ["the secret key", () => ({ authorization: `Bearer ${stack.project.secret}` })],
    ["the secret key beside it", () => ({ authorization: "", apikey: stack.project.secret })],
    ["the token as a key", () => ({ authorization: "", apikey: stack.token })],
    ["the token in another scheme", () => ({ authorization: `Basic ${stack.token}` })],
  ])("%s is refused", async (_, headers) => {
    const { status, body, headers: answered } = await stack.post(PING, headers());
    expect([status, answered.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(body.error.message).toContain("MCP_TOKEN");
  });

  test.each([
    ["an Origin", { origin: "http://localhost:5173" }],
    ["the stack's own Origin", { origin: "http://127.0.0.1:54321" }],
    ["no origin in a sandbox", { origin: "null" }],
    ["Sec-Fetch-Site", { "sec-fetch-site": "same-origin" }],
    ["Sec-Fetch-Site of an address bar", { "sec-fetch-site": "none" }],
    ["Sec-Fetch-Dest", { "sec-fetch-dest": "empty" }],
    ["Sec-Fetch-User", { "sec-fetch-user": "?1" }],
  ])("a web page is refused: %s", async (_, headers) => {
    const { status, body, cors } = await raw({ ...own(), ...headers });
    expect([status, cors]).toEqual([403, undefined]);
    expect(body).toContain("serves no web pages");
  });

  test("a preflight is refused too", async () => {
    const { status, cors } = await raw(
      { origin: "http://localhost:5173", "access-control-request-method": "POST" },
      "OPTIONS",
    );
    expect([status, cors]).toEqual([403, undefined]);
  });

  test("the names of this machine with the port, and no other", async () => {
    for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
      expect((await raw({ ...own(), host: `${name}:${port()}` })).status).toBe(200);
    }
    for (const host of [
      "127.0.0.1",
      `127.0.0.1:${Number(port()) + 1}`,
      `rebound.example.com:${port()}`,
      `app.localhost:${port()}`,
      `127.0.0.2:${port()}`,
      `host.docker.internal:${port()}`,
    ]) {
      expect((await raw({ ...own(), host })).status, host).toBe(403);
    }
  });

  test("[studio] enabled = false turns it off, and status does not show it", async () => {
    const off = new Project({ "config.toml": 'project_id = "cli"\n[studio]\nenabled = false\n' });
    await off.start();
    const response = await fetch(`${off.url}/mcp`, { method: "POST" });
    expect([response.status, await response.text()]).toEqual([
      503,
      expect.stringContaining("MCP service is disabled"),
    ]);
    expect((await off.run("status", "--json")).stdout).not.toContain("MCP_");
    const options = ["--workdir", off.folder, "--port-offset", String(off.offset)];
    const answer = execFileSync(process.execPath, [COMMAND, "mcp", ...options], {
      input: `${JSON.stringify(PING)}\n${JSON.stringify({ ...PING, id: undefined })}\n`,
      encoding: "utf8",
    });
    expect(JSON.parse(answer)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining("[studio] enabled = false") },
    });
    await off.remove();
  });

  test("a stand-in for a hosted project does not serve it", async () => {
    const hosted = await startHosted();
    const response = await fetch(`${hosted.project.url}/mcp`, { method: "POST" });
    expect([response.status, await response.json()]).toEqual([
      404,
      { message: "no Route matched with those values" },
    ]);
    await hosted.close();
  });
});

describe("earlier versions", () => {
  test("initialize agrees on the version asked for, or else offers the newest of them", async () => {
    const versionFor = async (protocolVersion: string) => {
      const { body } = await stack.ask("initialize", {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      });
      expect(body.result).toMatchObject({ capabilities: { tools: {} }, serverInfo: { name: "homebase" } });
      return body.result.protocolVersion as string;
    };
    expect(await versionFor("2025-06-18")).toBe("2025-06-18");
    expect(await versionFor("2025-11-25")).toBe("2025-11-25");
    expect(await versionFor("2024-11-05")).toBe("2025-11-25");
  });

  test("notifications are taken without an answer", async () => {
    const { status, body } = await stack.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([status, body]).toEqual([202, undefined]);
  });

  test("the version header is known, or the request is refused with those that are", async () => {
    expect((await stack.post(PING, { "mcp-protocol-version": "2025-06-18" })).status).toBe(200);
    expect(await stack.post(PING, { "mcp-protocol-version": "1999-01-01" })).toMatchObject({
      status: 400,
      body: {
        error: {
          code: -32_022,
          data: { supported: expect.arrayContaining(["2026-07-28"]), requested: "1999-01-01" },
        },
      },
    });
  });

  test("GET and DELETE have nothing to open or end", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(stack.url, { method, headers: own() });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test.each([
    ["no JSON", "{", -32_700],
    ["a batch", [PING, PING], -32_600],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }, -32_600],
    ["another version of JSON-RPC", { id: 1, method: "ping" }, -32_600],
    ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }, -32_600],
  ])("%s is an error", async (_, message, code) => {
    expect(await stack.post(message)).toMatchObject({ status: 400, body: { id: null, error: { code } } });
  });

  test("another type of content, and a body over a megabyte, are refused", async () => {
    expect((await stack.post(PING, { "content-type": "text/plain" })).status).toBe(415);
    const long = JSON.stringify({ ...PING, params: { text: "x".repeat(1024 * 1024) } });
    expect((await stack.post(long)).status).toBe(413);
  });

  test("unknown methods and tools are errors of the protocol", async () => {
    expect(await stack.ask("resources/list")).toMatchObject({
      status: 200,
      body: { error: { code: -32_601 } },
    });
    expect((await stack.ask("tools/call", { name: "no_tool" })).body.error).toEqual({
      code: -32_602,
      message: "Unknown tool: no_tool",
    });
    expect((await stack.ask("tools/call", {})).body.error.code).toBe(-32_602);
  });
});

describe("since 2026-07-28", () => {
  const VERSION = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    stack.post(
      { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: meta } },
      { "mcp-protocol-version": VERSION, "mcp-method": method, ...headers },
    );

  test("server/discover says versions and capabilities, and every result who answers", async () => {
    const { status, body } = await modern("server/discover");
    expect([status, body]).toMatchObject([
      200,
      {
        id: 7,
        result: {
          resultType: "complete",
          supportedVersions: [VERSION],
          capabilities: { tools: {} },
          cacheScope: "private",
          _meta: { "io.modelcontextprotocol/serverInfo": { name: "homebase" } },
        },
      },
    ]);
  });

  test("tools are listed with how long the list holds, and called", async () => {
    expect((await modern("tools/list")).body.result).toMatchObject({ ttlMs: 300_000, cacheScope: "private" });
    const call = { name: "get_project_url", arguments: {} };
    const named = await modern("tools/call", call, { "mcp-name": "get_project_url" });
    expect(JSON.parse(named.body.result.content[0].text)).toEqual({ url: stack.project.url });
    const encoded = `=?base64?${Buffer.from("get_project_url").toString("base64")}?=`;
    expect((await modern("tools/call", call, { "mcp-name": encoded })).status).toBe(200);
  });

  test.each([
    ["the version", { "mcp-protocol-version": "2025-11-25" }],
    ["the method", { "mcp-method": "tools/call" }],
    ["the tool", { "mcp-name": "execute_sql" }],
  ])("headers that differ from the body are refused: %s", async (_, headers) => {
    const call = { name: "get_project_url", arguments: {} };
    const method = "mcp-method" in headers ? "tools/list" : "tools/call";
    expect(await modern(method, call, { "mcp-name": "get_project_url", ...headers })).toMatchObject({
      status: 400,
      body: { error: { code: -32_020 } },
    });
  });

  test("a header without its field, or a field without its header, is refused", async () => {
    const headers = { "mcp-protocol-version": VERSION, "mcp-method": "tools/list" };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const reply of [
      await stack.post(message, headers),
      await stack.post({ ...message, params: { _meta: meta } }),
    ]) {
      expect(reply).toMatchObject({ status: 400, body: { error: { code: -32_020 } } });
    }
  });

  test("methods of earlier versions are unknown", async () => {
    for (const method of ["ping", "initialize", "subscriptions/listen"]) {
      expect(await modern(method)).toMatchObject({ status: 404, body: { error: { code: -32_601 } } });
    }
  });
});
