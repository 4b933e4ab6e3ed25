/** Broadcasting over HTTP: accepted and rejected bodies, and the errors (docs/compat/realtime.md 9). */
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { PhoenixSocket, readUserBroadcast, withLimits } from "./phoenix-socket.ts";

const backend = await forThisFile(createBackend({ bare: true }));

async function post(path: string, body: string, type = "application/json", url = backend.url) {
  const response = await fetch(`${url}/realtime/v1/api/broadcast${path}`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, "content-type": type },
    body,
  });
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text)];
}

const message = { topic: "t", event: "e", payload: {} };

test("a batch that is none is refused as a whole, one with a bad message with an entry for each", async () => {
  const batch = (messages: unknown) => post("", JSON.stringify({ messages }));
  const refused = (messages: unknown) => [422, { errors: { messages } }];
  expect(await batch("x")).toEqual(refused(["is invalid"]));
  expect(await batch([message, "x"])).toEqual(refused(["is invalid"]));
  expect(await batch(null)).toEqual(refused(["can't be blank"]));
  expect(await batch({})).toEqual(refused(["can't be blank"]));
  expect(await batch([message, { ...message, private: "yes" }])).toEqual(
    refused([{}, { private: ["is invalid"] }]),
  );
  expect(await batch([{ ...message, topic: "  ", event: "\n" }])).toEqual(
    refused([{ topic: ["can't be blank"], event: ["can't be blank"] }]),
  );
  expect(await batch([{ ...message, private: "0" }, message])).toEqual([202, ""]);
  expect(await batch({ 0: message })).toEqual([202, ""]);
});

test("a batch is read as JSON only where it says that it is, and must be", async () => {
  const body = JSON.stringify({ messages: [message] });
  expect(await post("", body, "text/plain")).toEqual([422, { errors: { messages: ["can't be blank"] } }]);
  expect(await post("", body, "application/vnd.app+json; charset=utf-8")).toEqual([202, ""]);
  expect(await post("", "{bad")).toEqual([400, "Bad Request"]);
});

test("one message keeps its bytes; what is no object comes inside of one, and nothing is an empty one", async () => {
  using socket = await PhoenixSocket.open(backend);
  await socket.join("room");
  for (const body of ['{ "n": 9007199254740993 }', "[1,2]", "null", ""]) {
    expect(await post("/room/events/e", body)).toEqual([202, ""]);
  }
  expect(await post("/room/events/e", "{bad")).toEqual([400, "Bad Request"]);
  await expect.poll(() => socket.binary.length).toBe(4);
  expect(socket.binary.map((frame) => readUserBroadcast(frame).payload.toString())).toEqual([
    '{ "n": 9007199254740993 }',
    '{"_json":[1,2]}',
    '{"_json":null}',
    "{}",
  ]);
});

test("single messages count towards the limit, and are refused past it", async () => {
  await using small = await withLimits(backend, { messagesPerSecond: 2 });
  const send = () => post("/room/events/e", "{}", "application/json", small.url);
  expect(await send()).toEqual([202, ""]);
  // If a new second begins meanwhile, two more are allowed.
  await expect
    .poll(send, { interval: 1, timeout: 20_000 })
    .toEqual([429, { message: "You have exceeded your rate limit" }]);
});

// supabase/realtime, test/realtime_web/controllers/tenant_controller_test.exs, "health check tenant"
test("the tenant's health counts clients and says what is connected", async () => {
  const ask = async (tenant: string, token: string, method = "GET") => {
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` };
    const url = `${backend.url}/realtime/v1/api/tenants/${tenant}/health`;
    const response = await fetch(url, { method, headers });
    const text = await response.text();
    return [response.status, text === "" ? "" : JSON.parse(text)];
  };
  const { serviceRoleKey } = backend;
  using socket = await PhoenixSocket.open(backend);
  await socket.join("health");
  const [status, body] = await ask("realtime-dev", serviceRoleKey);
  expect(status).toBe(200);
  expect(body).toEqual({
    data: {
      healthy: true,
      db_connected: true,
      replication_connected: expect.any(Boolean),
      connected_cluster: 1,
      region: "local",
      node: "homebase@127.0.0.1",
    },
  });
  expect(await ask("realtime-dev", serviceRoleKey, "HEAD")).toEqual([200, ""]);
  expect(await ask("realtime-dev", "potato")).toEqual([403, ""]);
  expect((await ask("nobody", serviceRoleKey))[0]).toBe(404);
});
