/** Messages of any form: none is answered by an exception, and each answer has the form that its message asks for. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerMessage, type ToolHost } from "../protocol.ts";

const host: ToolHost = {
  about: { name: "test", version: "1" },
  instructions: "",
  list: () => [],
  call: async (name) => (name === "known" ? { text: "done" } : undefined),
};

const VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "1999-01-01"];
const METHODS = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "notifications/initialized",
];
const either = <T>(usual: readonly T[]) => fc.oneof(fc.constantFrom(...usual), fc.jsonValue());
const meta = fc.record({ "io.modelcontextprotocol/protocolVersion": either(VERSIONS) }, { requiredKeys: [] });
const params = fc.record(
  {
    _meta: fc.oneof(meta, fc.jsonValue()),
    name: either(["known"]),
    arguments: fc.jsonValue(),
    protocolVersion: either(VERSIONS),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    jsonrpc: either(["2.0"]),
    id: either([1, "a"]),
    method: either(METHODS),
    params: fc.oneof(params, fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const headers = fc.record(
  {
    "mcp-protocol-version": fc.constantFrom(...VERSIONS),
    "mcp-method": fc.constantFrom(...METHODS),
    "mcp-name": fc.oneof(fc.constantFrom("known", "=?base64?a25vd24=?="), fc.string()),
  },
  { requiredKeys: [] },
);

test("every text has an answer", async () => {
  const text = fc.oneof({ weight: 9, arbitrary: message.map((one) => JSON.stringify(one)) }, fc.string());
  await fc.assert(
    fc.asyncProperty(text, headers, async (sent, given) => {
      const { status, body } = await answerMessage(sent, given, host);
      expect([200, 202, 400, 404]).toContain(status);
      if (status === 202) expect(body).toBeUndefined();
      else
        expect(Object.keys(body as object)).toEqual([
          "jsonrpc",
          "id",
          expect.stringMatching(/^(result|error)$/),
        ]);
      // What is refused by HTTP has an error, and a result is always 200.
      if (status >= 400) expect(body).toHaveProperty("error");
    }),
    { numRuns: 2_000 },
  );
});

test("a call by the newest version's rules runs only with headers that say the same", async () => {
  const version = "2026-07-28";
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "known", _meta: { "io.modelcontextprotocol/protocolVersion": version } },
  };
  await fc.assert(
    fc.asyncProperty(headers, async (given) => {
      const same =
        given["mcp-protocol-version"] === version &&
        given["mcp-method"] === "tools/call" &&
        ["known", "=?base64?a25vd24=?="].includes(given["mcp-name"] ?? "");
      const { status } = await answerMessage(JSON.stringify(call), given, host);
      expect(status).toBe(same ? 200 : 400);
    }),
    { numRuns: 500 },
  );
});
