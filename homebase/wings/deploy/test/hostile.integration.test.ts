/** A deploy against a Management API that answers with something else than the platform does. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { connect, DatabaseUnreachable, findDatabase } from "../target/database.ts";
import { Management, ManagementError } from "../target/management.ts";
import { REF } from "./project.ts";

const TOKEN = `sbp_${"0123456789".repeat(4)}`;
const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
async function api(answer: RequestListener): Promise<Management> {
  return new Management({ url: await listen(answer), token: TOKEN, ref: REF });
}

test("an answer that repeats the token is shown without it", async () => {
  const management = await api((request, response) => {
    response.writeHead(400).end(JSON.stringify({ message: `Not with ${request.headers.authorization}` }));
  });
  const error = await management.call("GET", "").catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(ManagementError);
  expect(String(error)).not.toContain(TOKEN);
});

test("a redirect is not followed: its body would have the secrets of functions", async () => {
  const reached: string[] = [];
  const other = await listen(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    reached.push(`${request.headers.authorization} ${body}`);
    response.end("{}");
  });
  const management = await api((_request, response) => {
    response.writeHead(307, { location: `${other}/elsewhere` }).end();
  });
  const sent = management.call("POST", "/secrets", [{ name: "WHO", value: "somebody" }]);
  await expect(sent).rejects.toThrow(ManagementError);
  expect(reached).toEqual([]);
});

test("a busy API cannot make a deploy wait for days", async () => {
  const management = await api((_request, response) => {
    response.writeHead(429, { "retry-after": "2000000" }).end();
  });
  await expect(management.call("GET", "")).rejects.toThrow(ManagementError);
});

test("an answer without an end is left", async () => {
  const management = await api((_request, response) => {
    const chunk = Buffer.alloc(1024 ** 2, " ");
    const write = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", write);
    write();
  });
  await expect(management.call("GET", "")).rejects.toThrow(ManagementError);
});

test("an answer that breaks off is an error of its call", async () => {
  const management = await api((_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  await expect(management.call("GET", "")).rejects.toThrow(ManagementError);
});

test("a pooler elsewhere gets neither a connection nor a password", async () => {
  for (const host of ["127.0.0.1", "pooler.example.org", "supabase.com.example.org", "/tmp"]) {
    const management = await api((_request, response) => {
      response.end(JSON.stringify([{ database_type: "PRIMARY", db_host: host }]));
    });
    const found = findDatabase(management, { password: "of-postgres", projectHost: "invalid" });
    await expect(found).rejects.toThrow(DatabaseUnreachable);
    await expect(found).rejects.toThrow("is not a host of Supabase");
  }
});

test("a database that accepts a connection and is silent is left", async () => {
  const silent = createSocketServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const management = await api((_request, response) => response.end("{}"));
  const config = await findDatabase(management, {
    url: `postgresql://postgres:secret@127.0.0.1:${port}/postgres`,
    projectHost: "invalid",
  });
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const connected = connect(config);
  const outcome = connected.then(
    () => "connected",
    (error: Error) => error.message,
  );
  const [socket] = await once(silent, "connection");
  await vi.advanceTimersByTimeAsync(60_000);
  socket.destroy();
  silent.close();
  expect(await outcome).toContain("timeout");
});
