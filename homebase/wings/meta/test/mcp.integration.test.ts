/**
 * Supabase's MCP server on the database API, as Studio of the CLI's stack runs it: each of its statements is a
 * request to /pg/query. SUPABASE_MCP is the folder of the package (`npm install @supabase/mcp-server-supabase` in a
 * folder of its own makes node_modules/@supabase/mcp-server-supabase); without it these tests are skipped.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestBackend } from "../../testing.ts";
import { meta, metaBackend } from "./fixture.ts";

const folder = process.env.SUPABASE_MCP;

interface Message {
  id?: number;
  result?: { isError?: boolean; content: { text: string }[] };
}

interface Transport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  onmessage?: (message: Message) => void;
}

describe.skipIf(!folder)("Supabase's MCP server", () => {
  let backend: TestBackend;
  let transport: Transport;
  const pending = new Map<number, (message: Message) => void>();
  let last = 0;

  const ask = (method: string, params: object): Promise<Message> => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Message>();
    pending.set(id, resolve);
    return transport.send({ jsonrpc: "2.0", id, method, params }).then(() => promise);
  };
  /** A tool's answer as text. */
  const call = async (name: string, args: object = {}): Promise<string> => {
    const { result } = await ask("tools/call", { name, arguments: args });
    const text = result?.content.map((part) => part.text).join("") ?? "";
    expect(result?.isError, text).not.toBe(true);
    return text;
  };

  beforeAll(async () => {
    backend = await metaBackend();
    const own = await import(join(String(folder), "dist/index.js"));
    const protocol = await import(join(String(folder), "../../@modelcontextprotocol/server/dist/index.mjs"));
    const run = async (query: string, parameters?: unknown[]) => {
      const { status, body } = await meta(backend, "POST", "/query", { query, parameters });
      if (status !== 200) throw new Error(body.message);
      return body;
    };
    const server = own.createSupabaseMcpServer({
      projectId: "default",
      features: ["database", "development"],
      platform: {
        database: {
          executeSql: (_: string, given: { query: string; parameters?: unknown[] }) =>
            run(given.query, given.parameters),
          listMigrations: () => run("select version, name from supabase_migrations.schema_migrations"),
          applyMigration: (_: string, { query }: { query: string }) => run(query),
        },
        development: {
          getProjectUrl: async () => backend.url,
          getPublishableKeys: async () => [],
          generateTypescriptTypes: async () => ({
            types: (await meta(backend, "GET", "/generators/typescript?included_schemas=shop")).body,
          }),
        },
      },
    });
    const [client, served] = protocol.InMemoryTransport.createLinkedPair();
    transport = client;
    transport.onmessage = (message) => pending.get(message.id ?? 0)?.(message);
    await server.connect(served);
    await transport.start();
    await ask("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    });
    await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  });
  afterAll(() => backend?.drop());

  test("lists tables with their columns, keys and enums", async () => {
    const text = await call("list_tables", { schemas: ["shop"], verbose: true });
    expect(text).toContain("shop.customers");
    expect(text).toContain("Display Name");
    expect(text).toContain("orders_customer_fkey");
    expect(text).toContain("Who buys");
    expect(text).not.toContain("storage.objects");
  });

  test("lists extensions", async () => {
    const text = await call("list_extensions");
    expect(text).toContain("pgcrypto");
    expect(text).toContain("installed_version");
  });

  test("runs statements and migrations, and reports Postgres's message", async () => {
    expect(await call("execute_sql", { query: "select email from shop.customers" })).toContain("a@b.c");
    await call("apply_migration", {
      name: "made",
      query: "create table shop.made_by_mcp (id int primary key)",
    });
    expect(await backend.sql("select to_regclass('shop.made_by_mcp')::text as table")).toEqual([
      { table: "shop.made_by_mcp" },
    ]);
    const { result } = await ask("tools/call", { name: "execute_sql", arguments: { query: "selec 1" } });
    expect(result?.isError).toBe(true);
    expect(result?.content[0]?.text).toContain("syntax error at or near");
  });

  test("generates types", async () => {
    expect(await call("generate_typescript_types")).toContain("open_orders");
  });
});
