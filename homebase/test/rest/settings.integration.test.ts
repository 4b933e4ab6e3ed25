/** Settings that a project changes in its database, and their effects. */
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { openRest } from "./fixture.ts";

const rest = await forThisFile(openRest());
// In this database only, because concurrent tests share the roles.
const role = `alter role authenticator in database "${rest.backend.database.name}"`;

const change = async (setting: string) => {
  await rest.backend.sql(`${role} set ${setting}`);
  await rest.backend.sql("notify pgrst, 'reload config'");
};

it("refuses the plan media type until it is enabled", async () => {
  const accept = {
    accept: 'application/vnd.pgrst.plan+json; for="application/json"; options=analyze|verbose;',
  };
  expect((await rest.ask("GET", "/places", { headers: accept })).status).toBe(406);
  await change("pgrst.db_plan_enabled = 'true'");
  await expect.poll(async () => (await rest.ask("GET", "/places", { headers: accept })).status).toBe(200);
  const answer = await rest.ask("GET", "/places?id=eq.1", { headers: accept });
  expect(answer.json).toMatchObject([{ Plan: { "Node Type": "Aggregate" } }]);
  expect(answer.headers.get("content-type")).toBe(
    'application/vnd.pgrst.plan+json; for="application/json"; options=analyze|verbose; charset=utf-8',
  );
});

it("caps rows of every node", async () => {
  await change("pgrst.db_max_rows = '1'");
  await expect
    .poll(async () => (await rest.ask("GET", "/places")).headers.get("content-range"))
    .toBe("0-0/*");
  const answer = await rest.ask("GET", "/places?select=id,visits(id)&id=eq.1&limit=5");
  expect(answer.json).toMatchObject([{ id: 1, visits: [{ id: expect.any(Number) }] }]);
  expect(
    (
      await rest.ask("POST", "/labels", {
        body: [{ id: 80 }, { id: 81 }],
        headers: { prefer: "return=representation" },
      })
    ).json,
  ).toHaveLength(2);
});

it("runs the pre-request function, which may refuse", async () => {
  await rest.backend.sql(`create function public.gate() returns void language plpgsql as $$
    begin
      if current_setting('request.headers')::json->>'x-blocked' is not null then
        raise sqlstate 'PT420' using message = 'Calm down';
      end if;
    end $$`);
  await change("pgrst.db_pre_request = 'public.gate'");
  const blocked = () => rest.ask("GET", "/labels", { headers: { "x-blocked": "1" } });
  await expect.poll(async () => (await blocked()).status).toBe(420);
  expect((await blocked()).json).toMatchObject({ code: "PT420", message: "Calm down" });
  expect((await rest.ask("GET", "/labels")).status).toBe(200);
});

it("exposes other schemas by profile", async () => {
  await rest.backend.sql(`create schema side; grant usage on schema side to anon; create table side.things (id int);
    grant all on side.things to anon; insert into side.things values (7)`);
  await change("pgrst.db_schemas = 'public, side'");
  await rest.backend.sql("notify pgrst, 'reload schema'");
  const side = () => rest.ask("GET", "/things", { headers: { "accept-profile": "side" } });
  await expect.poll(async () => (await side()).json).toEqual([{ id: 7 }]);
  expect((await side()).headers.get("content-profile")).toBe("side");
  expect((await rest.ask("GET", "/things")).status).toBe(404);
  const written = await rest.ask("POST", "/things", {
    body: { id: 8 },
    headers: { "content-profile": "side" },
  });
  expect(written.status).toBe(201);
});

it("rolls back when asked to, if that may be asked", async () => {
  const prefer = { prefer: "tx=rollback,return=representation" };
  await change("pgrst.db_tx_end = 'commit-allow-override'");
  await expect
    .poll(async () =>
      (await rest.ask("PATCH", "/labels?id=eq.1", { body: { label: "x" }, headers: prefer })).headers.get(
        "preference-applied",
      ),
    )
    .toBe("return=representation, tx=rollback");
  const answer = await rest.ask("POST", "/labels", { body: { id: 90 }, headers: prefer });
  expect([answer.status, answer.json]).toEqual([201, [{ id: 90, label: null }]]);
  expect((await rest.ask("GET", "/labels?id=eq.90")).json).toEqual([]);
});

it("takes nothing for a setting that is none, and goes on with the rest", async () => {
  await change("pgrst.openapi_mode = 'loud'");
  await change("pgrst.client_error_verbosity = 'minimal'");
  await expect
    .poll(async () => (await rest.ask("GET", "/nothing")).json)
    .toEqual({
      code: "PGRST205",
      message: "Could not find the table 'public.nothing' in the schema cache",
    });
  expect((await rest.ask("GET", "/")).status).toBe(200);
  await rest.backend.sql(`${role} reset pgrst.openapi_mode`);
  await rest.backend.sql(`${role} reset pgrst.client_error_verbosity`);
});

it("understands an aliased embed by its relation's name with a warning, or not at all", async () => {
  const path = "/places?select=id,seen:visits(note)&visits.note=eq.first&id=eq.1";
  const warned = await rest.ask("GET", path);
  expect(warned.json).toEqual([{ id: 1, seen: [{ note: "first" }] }]);
  expect(warned.headers.get("warning")).toBe(
    '299 PostgRESTv16.5 "Embedded resource was referenced by relation name even though it has an alias. ' +
      "This is deprecated and will stop working in a future release. " +
      'Update `visits` to `seen` in query string filters, orders or limits."',
  );
  expect((await rest.ask("GET", path.replace("visits.note", "seen.note"))).headers.get("warning")).toBeNull();
  await change("pgrst.url_use_legacy_target_names = 'false'");
  await expect
    .poll(async () => (await rest.ask("GET", path)).json)
    .toEqual({
      code: "PGRST108",
      details: "Target names are not allowed in filters if they have an alias",
      hint: "Change 'visits' to 'seen' in filters, orders or limits.",
      message: "'visits' is not an embedded resource in this request",
    });
});

it("checks tokens by a secret and at a claim that the database names", async () => {
  const secret = "the database's own secret, long enough";
  const token = await new SignJWT({ app: { roles: ["service_role"] } })
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.from(secret));
  const ask = async () => (await rest.ask("GET", "/rpc/whoami", { token })).json;
  expect(await ask()).toMatchObject({ code: "PGRST301", message: "No suitable key or wrong key type" });
  await change(`pgrst.jwt_secret = '${secret.replace("'", "''")}'`);
  await change("pgrst.jwt_role_claim_key = '.app.roles[0]'");
  await expect.poll(ask).toMatchObject({ role: "service_role" });
});
