/**
 * Schema changes while requests run: in effect soon after their commit, and no request fails because of them.
 */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { beforeAll, expect, it, vi } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create table public.owners (id int primary key, name text);
    create table public.pets (id int generated always as identity primary key, name text, age int);
    insert into public.owners values (1, 'Ana');
    insert into public.pets (name, age) select 'pet ' || n, n from generate_series(1, 50) n;
    create function public.count_pets() returns bigint language sql stable as 'select count(*) from public.pets';
    notify pgrst`);
});

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${backend.url}/rest/v1${path}`, {
    method,
    headers: {
      apikey: backend.secretKey,
      "content-type": "application/json",
      prefer: "return=representation",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

it("fails no request on a table that is altered again and again", async () => {
  const failures: string[] = [];
  let answered = 0;
  let running = true;
  const load = async (method: string, path: string, body?: unknown) => {
    while (running) {
      const { status, text } = await ask(method, path, body);
      answered += 1;
      if (status >= 300) failures.push(`${method} ${path}: ${status} ${text}`);
    }
  };
  const loads = [
    load("GET", "/pets?id=eq.7"),
    load("GET", "/pets?select=*&order=id&limit=20"),
    load("GET", "/pets?select=id,name&age=gt.10"),
    load("POST", "/pets", { name: "new", age: 1 }),
    load("PATCH", "/pets?id=eq.9", { age: 10 }),
    load("GET", "/rpc/count_pets"),
  ];
  const changes = [
    "alter table pets add column colour text",
    "alter table pets add column weight numeric not null default 1",
    "alter table pets alter column age type bigint",
    "create index on pets (age)",
    "alter table pets add column owner_id int references owners",
    "alter table pets drop column colour",
    "alter table pets enable row level security",
    "alter table pets alter column weight type float8",
    "create or replace function public.count_pets() returns bigint language sql stable as 'select count(id) from public.pets'",
    "alter table pets drop column weight",
  ];
  for (const change of changes) {
    await backend.sql(change);
    const before = answered;
    await vi.waitUntil(() => answered >= before + loads.length, { timeout: 30_000, interval: 5 });
  }
  running = false;
  await Promise.all(loads);
  expect(failures).toEqual([]);
});

it("serves what a commit has brought in the very next request: tables, columns, relationships, functions", async () => {
  await backend.sql("create table public.toys (id int primary key, pet_id int references pets)");
  expect(await ask("GET", "/toys")).toEqual({ status: 200, text: "[]" });
  await backend.sql("alter table toys add column made_of text");
  expect((await ask("POST", "/toys", { id: 1, pet_id: 1, made_of: "wood" })).status).toBe(201);
  expect((await ask("GET", "/toys?select=made_of,pets(name)")).text).toBe(
    '[{"made_of":"wood","pets":{"name": "pet 1"}}]',
  );
  await backend.sql(
    "create function public.double(n int) returns int language sql immutable as 'select n * 2'",
  );
  expect((await ask("GET", "/rpc/double?n=21")).text).toBe("42");
});

it("serves a request that began before a table was there and is whole after it", async () => {
  const { hostname, port } = new URL(backend.url);
  const late = request({
    hostname,
    port,
    method: "POST",
    path: "/rest/v1/boats",
    headers: { apikey: backend.secretKey, "content-type": "application/json" },
  });
  const answered = once(late, "response") as Promise<[IncomingMessage]>;
  late.write('{"id":');
  // Responds after the headers of the request above were read.
  expect((await ask("GET", "/owners")).status).toBe(200);
  await backend.sql("create table public.boats (id int primary key)");
  await expect.poll(async () => (await ask("GET", "/boats")).status).toBe(200);
  late.end("1}");
  expect((await answered)[0].statusCode).toBe(201);
});
