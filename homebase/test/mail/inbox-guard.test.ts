/** Access control of the inbox, and its errors for malformed calls. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type OpenInbox, openInbox } from "../../src/backend/inbox.ts";
import { systemClock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { exchange, statusOf } from "../http/raw.ts";

let folder: string;
let inbox: OpenInbox;
let url: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "homebase-inbox-"));
  inbox = await openInbox({ folder, port: 0, clock: systemClock, log: silentLog });
  url = inbox.url ?? "";
  await inbox.sendMail({
    from: { name: "", address: "a@example.com" },
    to: [{ name: "", address: "b@example.com" }],
    subject: "Code 123456",
    text: "123456",
  });
});
afterEach(async () => {
  await inbox.close();
  await rm(folder, { recursive: true });
});

const total = async () => ((await (await fetch(`${url}/api/v1/messages`)).json()) as { total: number }).total;
const call = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  });

it.each(["evil.example", "127.0.0.1.evil.example:54324", ""])(
  "is not read under the host name %j",
  async (host) => {
    const get = (name: string) =>
      exchange(url, `GET /api/v1/messages HTTP/1.1\r\nhost: ${name}\r\nconnection: close\r\n\r\n`);
    const refused = await get(host);
    expect([statusOf(refused), refused.includes("123456")]).toEqual([403, false]);
    expect(statusOf(await get("localhost:54324"))).toBe(200);
  },
);

it("is changed by its own page and by programs, not by other pages", async () => {
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://localhost:5173" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]) {
    const response = await call(
      "DELETE",
      "/api/v1/messages",
      undefined,
      headers as unknown as Record<string, string>,
    );
    expect([headers, response.status]).toEqual([headers, 403]);
  }
  expect(await total()).toBe(1);
  expect((await call("PUT", "/api/v1/messages", '{"Read":true}', { origin: url })).status).toBe(200);
  expect(
    (await call("DELETE", "/api/v1/messages", undefined, { "sec-fetch-site": "same-origin" })).status,
  ).toBe(200);
  expect(await total()).toBe(0);
});

it("takes no body that a form could send, and answers no other page's scripts and frames", async () => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
  ]) {
    expect((await call("DELETE", "/api/v1/messages", "{}", { "content-type": type })).status).toBe(415);
  }
  expect(await total()).toBe(1);
  const { headers } = await fetch(url);
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
});

it.each([
  ["DELETE", "/api/v1/messages", '{"IDs":"all"}'],
  ["DELETE", "/api/v1/messages", '{"IDs":[1]}'],
  ["DELETE", "/api/v1/messages", "{"],
  ["DELETE", "/api/v1/messages", "[]"],
  ["DELETE", "/api/v1/messages", "null"],
  ["PUT", "/api/v1/messages", '{"Read":"yes"}'],
  ["PUT", "/api/v1/messages", '{"Search":{}}'],
  ["POST", "/api/v1/send", ""],
  ["POST", "/api/v1/send", "{}"],
  ["POST", "/api/v1/send", '{"From":{"Email":"a@b.c"},"To":[null]}'],
  ["POST", "/api/v1/send", '{"From":{"Email":"a@b.c"},"To":[{"Email":"a@b.c"}],"Subject":5}'],
  ["POST", "/api/v1/send", '{"From":{"Email":"a@b.c","Name":[]},"To":[]}'],
  ["POST", "/api/v1/send", '{"From":{"Email":"a@b.c"},"To":[],"Headers":{"X-A":1}}'],
  ["POST", "/api/v1/send", `{"From":${"[".repeat(100_000)}`],
])("%s %s with %.40s is 400 and changes nothing", async (method, path, body) => {
  const response = await call(method, path, body);
  expect([response.status, (await response.text()).length > 0]).toEqual([400, true]);
  expect(await total()).toBe(1);
});

it("keeps its folder whole when mails are read, marked and removed at the same moment", async () => {
  const work = Array.from({ length: 40 }, (_, at) =>
    at % 4 === 3 ? call("DELETE", "/api/v1/messages") : fetch(`${url}/api/v1/message/latest`),
  );
  const statuses = new Set((await Promise.all(work)).map(({ status }) => status));
  expect([...statuses].every((status) => status === 200 || status === 404)).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});
