/** Claims about diets have an author and a date, cannot be forged, and a dispute overrides them. */

import { expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, people, signedIn, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");

const kitchen = {
  everybody: true,
  name: "Kitchen",
  latitude: 38.7,
  longitude: -9.1,
  price: 1,
  time_zone: "UTC",
};
const safe = async (place: string) =>
  dataOf(await ana.from("places").select("safe_diets").eq("id", place).single()).safe_diets;
const claims = async (place: string) =>
  dataOf(
    await ana
      .from("place_diet_claims")
      .select("diet, made_by, from_source, holds, made_at")
      .eq("place_id", place)
      .order("made_at"),
  );

test("nobody writes a place in the name of OpenStreetMap that the server has not found there", async () => {
  const forged = {
    ...kitchen,
    source: "openstreetmap" as const,
    external_id: "node/42",
    safe_diets: ["vegan" as const],
  };
  expect((await ana.rpc("save_place", { fields: forged })).error?.details).toBe("place_source_unknown");
  const row = { ...forged, everybody: true, created_by: people.ana };
  expect((await ana.from("places").insert(row)).error?.details).toBe("place_source_unknown");
  expect((await ana.rpc("remember_found_places", { places: [forged] })).error?.code).toBe("42501");

  const server = clientOf(backend, backend.secretKey);
  const found = [{ external_id: "node/42", safe_diets: ["vegetarian"] }];
  expect((await server.rpc("remember_found_places", { places: found })).error).toBeNull();
  const place = dataOf(await ana.rpc("save_place", { fields: forged }));
  // The source's claim belongs to the source; Ana's own is added.
  expect(await claims(place)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ diet: "vegetarian", made_by: null, from_source: true }),
      expect.objectContaining({ diet: "vegan", made_by: people.ana, from_source: false }),
    ]),
  );
});

test("a claim names who makes it and when; a doubt ends it until it is taken back", async () => {
  const place = dataOf(await ana.rpc("save_place", { fields: { ...kitchen, safe_diets: ["vegan"] } }));
  const [claim] = await claims(place);
  expect(claim).toMatchObject({ diet: "vegan", made_by: people.ana, holds: true });
  expect(Math.abs(Date.now() - Date.parse(claim?.made_at ?? ""))).toBeLessThan(60_000);

  expect((await ben.rpc("say_diet", { place, diet: "vegan", holds: false })).error).toBeNull();
  expect(await safe(place)).toEqual([]);
  // The author cannot remove the dispute.
  dataOf(
    await ana
      .from("places")
      .update({ safe_diets: ["vegan"] })
      .eq("id", place)
      .select("id"),
  );
  expect(await safe(place)).toEqual([]);
  expect((await ben.rpc("say_diet", { place, diet: "vegan", holds: null as never })).error).toBeNull();
  expect(await safe(place)).toEqual(["vegan"]);
});

test("what nobody looks after any more can still be doubted, and claims outlive their maker without a name", async () => {
  const emre = await signedIn(backend, "emre");
  const place = dataOf(await emre.rpc("save_place", { fields: { ...kitchen, safe_diets: ["halal"] } }));
  expect((await emre.rpc("delete_my_account")).error).toBeNull();
  expect(await claims(place)).toMatchObject([
    { diet: "halal", made_by: null, from_source: false, holds: true },
  ]);
  expect((await ben.rpc("say_diet", { place, diet: "halal", holds: false })).error).toBeNull();
  expect(await safe(place)).toEqual([]);
});

test("nobody writes a claim in another's name", async () => {
  const row = { place_id: crypto.randomUUID(), diet: "vegan" as const, made_by: people.ben, holds: true };
  expect((await ana.from("place_diet_claims").insert(row)).error?.code).toBe("42501");
});

test("a doubt about what a diet concludes is a doubt about that diet", async () => {
  const place = dataOf(
    await ana.rpc("save_place", { fields: { ...kitchen, safe_diets: ["vegan", "halal"] } }),
  );
  expect(await safe(place)).toEqual(["vegan", "halal"]);
  await ben.rpc("say_diet", { place, diet: "vegetarian", holds: false });
  expect(await safe(place)).toEqual(["halal"]);
  await ben.rpc("say_diet", { place, diet: "vegetarian", holds: null as never });
  expect(await safe(place)).toEqual(["vegan", "halal"]);
});
