/** Finding places: the database's search, and the catalogue that may ask OpenStreetMap too. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checked, fieldsOfNew } from "../../../web/src/features/places/draft.ts";
import type { PlaceFields } from "../../../web/src/features/places/form-schema.ts";
import { createBackend, type TestBackend } from "../../target/integration.ts";
import { dataOf, guest, type NoshClient, people, signedIn } from "../people.ts";

const asked: string[] = [];
let overpassWorks = true;
let backend: TestBackend;
let ana: NoshClient;

const overpass = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  asked.push(new URLSearchParams(Buffer.concat(chunks).toString()).get("data") ?? "");
  response.writeHead(overpassWorks ? 200 : 504, { "content-type": "application/json" }).end(
    JSON.stringify({
      elements: [
        { type: "node", id: 1, lat: 38.7, lon: -9.1, tags: { name: "Kleine Küche", "diet:vegan": "yes" } },
        { type: "node", id: 2, lat: 38.7, lon: -9.1, tags: { cuisine: "nameless" } },
      ],
    }),
  );
});
beforeAll(async () => {
  await new Promise<void>((resolve) => overpass.listen(0, "127.0.0.1", resolve));
  const { port } = overpass.address() as AddressInfo;
  backend = await createBackend({
    config: { edge_runtime: { secrets: { OVERPASS_URL: `http://127.0.0.1:${port}/` } } },
  });
  ana = await signedIn(backend, "ana");
});
afterAll(async () => {
  await backend?.drop();
  overpass?.close();
});

const names = async (args: Parameters<NoshClient["rpc"]>[1] & object) =>
  dataOf(await ana.rpc("search_places", args as never)).map((place: { name: string }) => place.name);
const near = { latitude: 38.7, longitude: -9.1 };
const find = async (client: NoshClient, body: unknown) => {
  const { data, error } = await client.functions.invoke("find-places", { body: body as object });
  return error ? { status: error.context?.status, ...(await error.context?.json()) } : data;
};

test("words, beginnings of words, words without their accents, and words with a slip", async () => {
  expect((await names({ words: "momo sete" }))[0]).toBe("Momo Sete");
  expect((await names({ words: "mom" }))[0]).toBe("Momo Sete");
  expect(await names({ words: "ocakbasi" })).toContain("Anadolu Ocakbaşı");
  expect(await names({ words: "anadollu" })).toContain("Anadolu Ocakbaşı");
  expect(await names({ words: "& | ! <-> :* ( '" })).toEqual(await names({}));
  expect(await names({ words: "zzzzqqq" })).toEqual([]);
});

test("diets, price, opening and nearness", async () => {
  const all = dataOf(await ana.from("places").select("id, name, safe_diets, price, latitude, longitude"));
  const vegan = await names({ diets: ["vegan"] });
  expect(vegan.toSorted()).toEqual(
    all
      .filter((place) => place.safe_diets.includes("vegan"))
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(vegan.length).toBeGreaterThan(0);
  expect((await names({ max_price: 1 })).length).toBe(all.filter((place) => place.price === 1).length);
  const one = all[3];
  if (one?.latitude == null || one.longitude === null) throw new Error("The seed has places with positions.");
  expect((await names({ latitude: one.latitude, longitude: one.longitude }))[0]).toBe(one.name);
  const night = await names({ open_at: "2026-11-27T04:00:00Z" });
  expect(night.length).toBeLessThan(all.length);
});

test("the catalogue asks every source, keeps each place once, and lives with one that fails", async () => {
  const found = await find(ana, { words: "küche", near });
  expect(found.sources).toEqual([
    { name: "database", ok: true },
    { name: "openstreetmap", ok: true },
  ]);
  const kitchen = found.places.find(({ name }: { name: string }) => name === "Kleine Küche");
  expect(kitchen).toMatchObject({
    id: null,
    source: "openstreetmap",
    external_id: "node/1",
    price: null,
    safe_diets: ["vegan"],
  });
  expect(asked.at(-1)).toContain('["name"~"küche",i]');

  const added = dataOf(
    await ana
      .from("places")
      .insert({
        name: "Kleine Küche",
        latitude: 38.7,
        longitude: -9.1,
        price: 2,
        time_zone: "Europe/Lisbon",
        safe_diets: ["vegan"],
        source: "openstreetmap",
        external_id: "node/1",
        everybody: true,
        created_by: people.ana,
      })
      .select("id")
      .single(),
  );
  const after = await find(ana, { words: "kuche", near });
  expect(after.places.filter(({ name }: { name: string }) => name === "Kleine Küche")).toMatchObject([
    { id: added.id },
  ]);

  overpassWorks = false;
  const without = await find(ana, { words: "momo", near });
  overpassWorks = true;
  expect(without.sources).toEqual([
    { name: "database", ok: true },
    { name: "openstreetmap", ok: false },
  ]);
  expect(without.places[0]).toMatchObject({ name: "Momo Sete" });
});

test("a place and its hours are saved in one step, changed by who added it, and by nobody else", async () => {
  const fields = { name: "Two Hours", latitude: 38.7, longitude: -9.1, price: 2, time_zone: "Europe/Lisbon" };
  const lunch = { weekday: 1, opens: "12:00", closes: "15:00" };
  const place = dataOf(await ana.rpc("save_place", { fields, hours: [lunch, { ...lunch, weekday: 2 }] }));
  const read = async () =>
    dataOf(
      await ana.from("places").select("name, created_by, place_hours(weekday)").eq("id", place).single(),
    );
  expect(await read()).toMatchObject({ created_by: people.ana, place_hours: { length: 2 } });

  // Invalid hours change nothing.
  const broken = await ana.rpc("save_place", {
    fields: { ...fields, name: "Broken" },
    hours: [lunch, lunch],
    place,
  });
  expect(broken.error?.code).toBe("23505");
  expect(await read()).toMatchObject({ name: "Two Hours", place_hours: { length: 2 } });

  dataOf(await ana.rpc("save_place", { fields: { ...fields, name: "One Hour" }, hours: [lunch], place }));
  expect(await read()).toMatchObject({ name: "One Hour", place_hours: { length: 1 } });

  const ben = await signedIn(backend, "ben");
  const { client } = await guest(backend, "Guest");
  for (const other of [ben, client]) {
    const refused = await other.rpc("save_place", { fields, hours: [], place });
    expect(refused.error?.code).toBe("42501");
  }
  expect((await client.rpc("save_place", { fields })).error?.code).toBe("42501");
  expect(await read()).toMatchObject({ name: "One Hour", place_hours: { length: 1 } });
});

test("the form and the database take and refuse the same", async () => {
  const good: Partial<PlaceFields>[] = [
    { name: "x" },
    { latitude: null, longitude: null, price: null },
    { name: "é".repeat(80), about: "x".repeat(280), address: "x".repeat(160) },
    { latitude: -90, longitude: 180, price: 4, cuisines: ["a", "b", "c", "d", "e", "f"] },
    { time_zone: "Asia/Kathmandu", safe_diets: ["vegan", "nut_free"] },
  ];
  const bad: Partial<PlaceFields>[] = [
    { name: "" },
    { name: "x".repeat(81) },
    { about: "x".repeat(281) },
    { address: "x".repeat(161) },
    { latitude: 90.1 },
    { longitude: -180.1 },
    { price: 5 },
    { cuisines: ["a", "b", "c", "d", "e", "f", "g"] },
    { time_zone: "Europe/Atlantis" },
  ];
  const fieldsWith = (change: Partial<PlaceFields>): PlaceFields => ({
    ...fieldsOfNew({ name: "Kitchen", latitude: 38.7, longitude: -9.1 }, "Europe/Lisbon"),
    ...change,
  });
  const inForm = (change: Partial<PlaceFields>) => "fields" in checked(fieldsWith(change));
  const inDatabase = async (change: Partial<PlaceFields>) => {
    const { week: _week, ...fields } = fieldsWith(change);
    return (await ana.rpc("save_place", { fields })).error === null;
  };
  for (const change of good)
    expect([change, inForm(change), await inDatabase(change)]).toEqual([change, true, true]);
  for (const change of bad)
    expect([change, inForm(change), await inDatabase(change)]).toEqual([change, false, false]);
});

test("what is safe for vegans is found by vegetarians, never the other way round", async () => {
  const fields = {
    name: "Only Vegan",
    latitude: 38.7,
    longitude: -9.1,
    price: 2,
    time_zone: "Europe/Lisbon",
  };
  dataOf(await ana.rpc("save_place", { fields: { ...fields, safe_diets: ["vegan"] } }));
  for (const diet of ["vegetarian", "pescatarian", "lactose_free"] as const) {
    expect(await names({ words: "only vegan", diets: [diet] })).toContain("Only Vegan");
  }
  expect(await names({ words: "only vegan", diets: ["halal"] })).toEqual([]);
});

test("bad questions say what is wrong, and nobody asks without having signed in", async () => {
  for (const body of [
    { words: 7 },
    { diets: ["meat"] },
    { near: { latitude: 91, longitude: 0 } },
    { most: 0.5 },
  ]) {
    expect(await find(ana, body)).toMatchObject({ status: 400, code: "invalid_request" });
  }
  const someone = await guest(backend, "Guest");
  expect((await find(someone.client, { words: "momo" })).places[0]).toMatchObject({ name: "Momo Sete" });
});
