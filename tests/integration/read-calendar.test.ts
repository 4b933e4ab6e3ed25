/**
 * The network access of the function read-calendar, in its real runtime and over real TLS: the connection
 * goes to the resolved and checked address, with the name in SNI, in the Host header and in the certificate.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authority, certificate, privateKey } from "./test-certificate.ts";

const root = join(import.meta.dirname, "..", "..");
const calendar = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n";
const asked: { host: string | undefined; servername: string | false | null; url: string | undefined }[] = [];
let folder: string;

const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
  const { servername } = request.socket as TLSSocket;
  asked.push({ host: request.headers.host, servername, url: request.url });
  if (request.url === "/moved") response.writeHead(302, { location: "/calendar.ics?two=1" }).end();
  else if (request.url === "/away")
    response.writeHead(301, { location: "https://inside.example.org/" }).end();
  else if (request.url === "/chunks") {
    response.write(calendar.slice(0, 5));
    response.end(calendar.slice(5));
  } else response.end(calendar);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  folder = await mkdtemp(join(tmpdir(), "read-calendar-"));
});
afterAll(async () => {
  server.close();
  if (folder) await rm(folder, { recursive: true });
});

/**
 * Fetches in Deno. Names resolve to the entries of `names`, one response after the other; a public address is
 * mapped to the test's server, others are unreachable.
 */
async function fetched(url: string, names: Record<string, string[][]>) {
  const { port } = server.address() as AddressInfo;
  const script = join(folder, "script.ts");
  const shared = join(root, "supabase/functions/_shared/network");
  await writeFile(
    script,
    `import { httpsGet } from ${JSON.stringify(join(shared, "https_get.ts"))};
     import { connectTo } from ${JSON.stringify(join(shared, "deno_network.ts"))};
     const names = ${JSON.stringify(names)};
     const connected = [];
     const network = {
       resolve: async (name) => names[name]?.shift() ?? [],
       connect: (address, name) => {
         connected.push(address);
         return connectTo("127.0.0.1", ${port}, name, [${JSON.stringify(authority)}]);
       },
     };
     const outcome = await httpsGet(${JSON.stringify(url)}, "text/calendar", network,
       { milliseconds: 5000, bytes: 1000, redirects: 3 }).catch((error) => ({ reason: error.reason ?? String(error) }));
     console.log(JSON.stringify({ outcome, connected }));`,
  );
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/deno"), [
    "run",
    "--no-config",
    "--allow-net=127.0.0.1",
    `--allow-read=${folder},${shared}`,
    script,
  ]);
  return JSON.parse(stdout) as { outcome: unknown; connected: string[] };
}

test("an address is fetched from what its name was resolved to", async () => {
  const { outcome, connected } = await fetched("https://calendar.example.org/moved", {
    "calendar.example.org": [["93.184.216.34"], ["93.184.216.35"]],
  });
  expect(outcome).toEqual({ status: 200, text: calendar });
  expect(connected).toEqual(["93.184.216.34", "93.184.216.35"]);
  expect(asked.splice(0)).toEqual([
    { host: "calendar.example.org", servername: "calendar.example.org", url: "/moved" },
    { host: "calendar.example.org", servername: "calendar.example.org", url: "/calendar.ics?two=1" },
  ]);
});

test("a body in chunks is read whole", async () => {
  const { outcome } = await fetched("https://calendar.example.org/chunks", {
    "calendar.example.org": [["93.184.216.34"]],
  });
  expect(outcome).toEqual({ status: 200, text: calendar });
});

test("a name that answers differently the second time is asked once", async () => {
  const { outcome, connected } = await fetched("https://calendar.example.org/", {
    "calendar.example.org": [["93.184.216.34"], ["127.0.0.1"]],
  });
  expect(outcome).toEqual({ status: 200, text: calendar });
  expect(connected).toEqual(["93.184.216.34"]);
});

test("where a redirect leads is resolved and checked again", async () => {
  const { outcome, connected } = await fetched("https://calendar.example.org/away", {
    "calendar.example.org": [["93.184.216.34"]],
    "inside.example.org": [["10.0.0.8"]],
  });
  expect(outcome).toEqual({ reason: "not_public" });
  expect(connected).toEqual(["93.184.216.34"]);
});

test("a certificate for another name is none", async () => {
  asked.length = 0;
  const { outcome } = await fetched("https://other.example.org/", {
    "other.example.org": [["93.184.216.34"]],
  });
  expect(outcome).toEqual({ reason: "no_answer" });
  expect(asked).toEqual([]);
});
