/** Requests that use what hosted's PostgREST does not have: their records name it, and a strict project's log does. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { openRest, type Rest } from "./fixture.ts";

let rest: Rest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest?.[Symbol.asyncDispose]());

/** The first words of what the request's record names. */
async function laterOf(path: string, headers: Record<string, string> = {}): Promise<string[] | undefined> {
  const { requests } = rest.backend.backend;
  const { cursor } = requests.list();
  await rest.ask("GET", path, { headers, token: "secret" });
  const [record] = requests.list({ after: cursor }).records;
  return record?.later?.map((sentence) => sentence.split(" is ")[0]?.split(" takes ")[0] ?? "");
}

const ALIASED = "/places?select=id,seen:visits(note)&id=eq.1";

test.each([
  ["a name of a time zone", "/places", { prefer: "timezone=Europe/Lisbon" }, undefined],
  ["an offset", "/places", { prefer: "timezone=05:30" }, ["Prefer: timezone"]],
  ["a name in small letters", "/places", { prefer: "timezone=europe/lisbon" }, ["Prefer: timezone"]],
  ["an unknown zone", "/places", { prefer: "timezone=Nowhere/Here" }, ["Prefer: timezone"]],
  ["an embed by its alias", `${ALIASED}&seen.note=eq.first`, {}, undefined],
  ["an embed by its relation's name", `${ALIASED}&visits.note=eq.first`, {}, ["The header Warning"]],
  ["the description", "/", {}, undefined],
])("%s", async (_what, path, headers, later) => {
  expect(await laterOf(path, headers)).toEqual(later);
});

test("names of relations, once the database says that they do not stand for aliases", async () => {
  await rest.backend.sql(
    "alter role authenticator in database current set pgrst.url_use_legacy_target_names = 'false'".replace(
      "current",
      `"${rest.backend.backend.database.name}"`,
    ),
  );
  await rest.backend.sql("notify pgrst, 'reload config'");
  const both = "/places?select=id,seen:visits(note),visits(id)&visits.id=eq.1";
  await expect.poll(() => laterOf(both)).toEqual(["url-use-legacy-target-names"]);
  expect(await laterOf(both.replace("visits.id", "seen.id"))).toBeUndefined();
});

test("the description of a schema with capital letters", async () => {
  await using strange = await createBackend({
    bare: true,
    config: { api: { schemas: ["public", "Shop"] } },
  });
  await strange.sql(`create schema "Shop"; grant usage on schema "Shop" to anon`);
  const headers = { apikey: strange.secretKey, "accept-profile": "Shop" };
  await fetch(`${strange.url}/rest/v1/`, { headers });
  const [record] = strange.backend.requests.list({ limit: 1 }).records;
  expect(record?.later).toEqual([
    expect.stringContaining("The description of a schema with capital letters"),
  ]);
});
