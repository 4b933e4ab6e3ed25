/** Commands, a wing's too, whose connection to the database or whose reader ends: one sentence, or silence, and no stack trace. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect as dial, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { descendants, Project } from "./project.ts";

const project = new Project({
  "migrations/20260101000000_a.sql":
    "create table public.a (id int primary key); create function public.f() returns int language plpgsql as 'begin return 1; end';",
  "tests/a.test.sql": "begin; select plan(1); select ok(true); select * from finish(); rollback;",
});
beforeAll(() => project.start(), 180_000);
afterAll(() => project.remove(), 180_000);

/** Passes messages on to the database until a client has sent some, then ends the connection. */
async function cutter(messages: number): Promise<{ server: Server; url: string }> {
  const server = createServer((client) => {
    const upstream = dial(Number(new URL(project.database).port), "127.0.0.1");
    let sent = 0;
    for (const one of [client, upstream]) one.on("error", () => {});
    upstream.pipe(client);
    client.on("data", (chunk) => {
      sent += 1;
      if (sent <= messages) return void upstream.write(chunk);
      client.destroy();
      upstream.destroy();
    });
    client.on("close", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(project.database);
  url.port = String((server.address() as { port: number }).port);
  return { server, url: url.href };
}

const COMMANDS = [
  ["db", "lint"],
  ["db", "query", "select 1"],
  ["db", "dump"],
  ["db", "dump", "--data-only"],
  ["db", "dump", "--role-only"],
  ["db", "advisors"],
  ["db", "pull"],
  ["db", "push"],
  ["gen", "types"],
  ["inspect", "db", "table-stats"],
  ["inspect", "report"],
  ["migration", "list"],
  ["migration", "fetch"],
  ["test", "db"],
];

const named = (commands: string[][]) => commands.map((command) => ({ command, name: command.join(" ") }));

test.each(named(COMMANDS))("a lost connection is one sentence: $name", async ({ command }) => {
  // The first messages open the session.
  for (const messages of command[1] === "query" ? [2] : [2, 4]) {
    const { server, url } = await cutter(messages);
    const { stdout, stderr, code } = await project.run(...command, "--db-url", url);
    server.close();
    expect(stdout + stderr).not.toMatch(/^\s+at /m);
    if (code === 0) continue;
    expect(stderr).toMatch(/^Error: [^\n]*(?:connection|ECONNRESET)[^\n]*\n$/i);
  }
});

/** Runs a command whose standard output nobody reads. */
async function unread(...words: string[]): Promise<{ stderr: string }> {
  const args = [...words, "--workdir", project.folder, "--port-offset", String(project.offset)];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", project.command, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child, "close");
  expect(descendants(child.pid ?? 0)).toEqual([]);
  return { stderr };
}

const UNREAD = [
  ["--help"],
  ["status"],
  ["db", "query", "select 1"],
  ["db", "dump"],
  ["db", "dump", "--data-only"],
  ["db", "lint"],
  ["inspect", "db", "table-stats"],
  ["gen", "types"],
  ["logs"],
  ["logs", "--follow"],
];

test.each(named(UNREAD))(
  "a reader that has ended ends the command without a word: $name",
  async ({ command }) => {
    expect(await unread(...command)).toEqual({ stderr: "" });
  },
);

test("a start whose reader has ended stops the stack in order", async () => {
  await project.stop();
  expect(await unread("start")).toEqual({ stderr: "" });
  await project.start();
  expect((await project.rest("a")).status).toBe(200);
}, 180_000);
