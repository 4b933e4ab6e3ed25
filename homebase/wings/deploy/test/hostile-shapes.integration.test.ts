/** A whole deploy whose Management API changes single answers: each ends with a sentence, and shows no secret. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandError } from "../../../src/cli/kit/errors.ts";
import { UserError } from "../../../src/core/user-error.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { type Hosted, startHosted } from "../../hosted/index.ts";
import { REF, type TestProject, testProject } from "./project.ts";

interface Forged {
  call: RegExp;
  body: string;
  status?: number;
}
let hosted: Hosted;
let project: TestProject;
let server: Server;
let forged: Forged | undefined;
beforeEach(async () => {
  forged = undefined;
  hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
  project = testProject();
  server = createServer(async (request, response) => {
    const { method = "GET", url = "" } = request;
    if (forged?.call.test(`${method} ${url}`)) {
      response.writeHead(forged.status ?? 200).end(forged.body);
      return;
    }
    const body = await text(request);
    const { authorization = "", "content-type": type = "" } = request.headers;
    const answer = await fetch(hosted.management.url + url, {
      method,
      headers: { authorization, ...(type && { "content-type": type }) },
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server?.close();
  project?.drop();
  await hosted?.close();
});

const deploy = () =>
  project.deploy(hosted, {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    skipSmoke: true,
    prune: true,
  });
const query = (sql: string, values: unknown[] = []) => hosted.project.database.query("postgres", sql, values);

const odd = '{"toString":1}';
test("answers of other types, and a record that somebody changed, end it with a sentence", async () => {
  for (const [call, body] of [
    [/^GET \/v1\/projects\/\w+$/, `{"status":${odd}}`],
    [/api-keys/, '[{"type":"publishable","api_key":"a"},{"type":"secret","api_key":"b\\r\\nc: d"}]'],
    [/login-role/, `{"role":${odd},"password":"x"}`],
    [/functions$/, `[{"slug":${odd}}]`],
    [/functions$/, '[{"slug":".."}]'],
  ] as const) {
    forged = { call, body };
    const error = await deploy().catch((reason: unknown) => commandError(reason));
    expect(error, body).toBeInstanceOf(UserError);
  }
  forged = { call: /^GET .*\/secrets$/, body: `[{"name":${odd},"value":{}}]` };
  expect((await deploy()).outcome).toBe("deployed");
  forged = undefined;
  for (const known of ["{}", "5", '{"functions":null,"secrets":{},"salt":"x"}']) {
    await query("update supabase_migrations.deploys set known = $1", [known]);
    expect((await deploy()).outcome, known).toBe("deployed");
  }
}, 300_000);

test("a failure that repeats what was sent shows no Vault entry", async () => {
  project.addVaultEntry("mail_key", "hunter2hunter2");
  forged = { call: /^PATCH .*\/config\/auth$/, status: 400, body: '{"message":"not with hunter2hunter2"}' };
  const { outcome, failure } = await deploy();
  expect([outcome, failure?.message]).toEqual(["failed", expect.stringContaining("not with (not shown)")]);
}, 180_000);
