/** Names beyond ASCII wherever HTTP carries them: paths, queries, bodies and, as UTF-8, headers. */
import { request } from "node:http";
import { expect, it } from "vitest";
import { standaloneRuns } from "../../../wings/rest-server/test/standalone-run.ts";

const { start } = standaloneRuns(
  55_325,
  `
create role gate login noinherit password 'gate';
create role visitor nologin;
grant visitor to gate;
create schema "Größe ""@/#";
grant usage on schema "Größe ""@/#" to visitor;
create table "Größe ""@/#"."名前" ("鍵" text primary key);
insert into "Größe ""@/#"."名前" values ('値');
grant all on "Größe ""@/#"."名前" to visitor;
create function "Größe ""@/#".heard() returns text language sql stable as
  $$select (set_config('response.headers', '[{"X-Echo":"' || (current_setting('request.headers')::json->>'x-word') || '"}]', true) is null)::text
    || (current_setting('request.headers')::json->>'x-word')$$;
`,
);

const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const text = (header: string | string[] | undefined) =>
  Buffer.from(String(header), "latin1").toString("utf8");

it("understands and sends them", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_DB_SCHEMAS: 'Größe "@/#' });
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<{
      status: number | undefined;
      headers: Record<string, string | string[] | undefined>;
      body: string;
    }>((resolve, reject) => {
      request(`${url}${path}`, { method, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      })
        .on("error", reject)
        .end(body === undefined ? undefined : Buffer.from(body));
    });
  const table = `/${encodeURIComponent("名前")}`;
  const read = await ask("GET", `${table}?${encodeURIComponent("鍵")}=eq.${encodeURIComponent("値")}`, {
    "accept-profile": bytes('Größe "@/#'),
  });
  expect([read.status, read.body]).toEqual([200, '[{"鍵":"値"}]']);
  expect(text(read.headers["content-profile"])).toBe('Größe "@/#');
  const written = await ask(
    "POST",
    table,
    {
      "content-profile": bytes('Größe "@/#'),
      "content-type": "application/json",
      prefer: "return=headers-only",
    },
    '{"鍵":"ключ"}',
  );
  expect([written.status, decodeURIComponent(String(written.headers.location))]).toEqual([
    201,
    "/名前?鍵=eq.ключ",
  ]);
  const heard = await ask("GET", "/rpc/heard", { "x-word": bytes("Straße") });
  expect([heard.status, heard.body]).toEqual([200, '"falseStraße"']);
  expect(text(heard.headers["x-echo"])).toBe("Straße");
});
