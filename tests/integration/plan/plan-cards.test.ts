/**
 * A plan's summary (view plan_cards): the content of the home screen's rows, page by page, without hidden
 * data.
 */
import { expect, test } from "vitest";
import { cardColumns, cardOrder } from "../../../web/src/features/plans/cards/columns.ts";
import { cardSchema } from "../../../web/src/features/plans/cards/schema.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, plans, signedIn, signedInEach } from "../people.ts";

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");

async function cards(client: NoshClient) {
  let query = client.from("plan_cards").select(cardColumns);
  for (const column of cardOrder) query = query.order(column);
  return dataOf(await query).map((row) => cardSchema.parse(row));
}

test("pages of one give every plan once, in the order of the whole list", async () => {
  const all = (await cards(ana)).map((card) => card.id);
  expect(all.length).toBeGreaterThan(3);
  const paged: string[] = [];
  let last: { section: number; position: number; id: string } | null = null;
  for (;;) {
    let query = ana.from("plan_cards").select(cardColumns);
    if (last) {
      const { section, position, id } = last;
      query = query.or(
        `section.gt.${section},and(section.eq.${section},position.gt.${position}),` +
          `and(section.eq.${section},position.eq.${position},id.gt.${id})`,
      );
    }
    for (const column of cardOrder) query = query.order(column);
    const [row] = dataOf(await query.limit(1));
    if (!row) break;
    last = cardSchema.parse(row);
    paged.push(last.id);
  }
  expect(paged).toEqual(all);
});

test("a card says what is open for the person who asks, and hides answers as the plan does", async () => {
  const { data: id } = await ana.rpc("create_plan", {
    title: "Hidden",
    time_zone: "Europe/Lisbon",
    people: [people.ben],
    times: [1, 2].map((days) => ({
      starts_at: new Date(Date.now() + days * 86_400_000).toISOString(),
      ends_at: new Date(Date.now() + days * 86_400_000 + 7_200_000).toISOString(),
    })),
    results_hidden: true,
  });
  if (!id) throw new Error("No plan was made.");
  const times = dataOf(
    await ana.from("time_options").select("id, starts_at").eq("plan_id", id).order("starts_at"),
  );
  const [first = "", second = ""] = times.map((time) => time.id);
  const mine = async (client: NoshClient) => {
    const card = (await cards(client)).find((one) => one.id === id);
    if (!card) throw new Error("There is no card.");
    const seat = (person: string) => card.people.find((one) => one.user_id === person);
    return { card, ana: seat(people.ana), ben: seat(people.ben) };
  };
  await ana.rpc("cast_votes", { plan: id, times: { [first]: "yes", [second]: "yes" }, places: {} });

  const before = await mine(ben);
  expect(before.card).toMatchObject({
    section: 1,
    times: 2,
    places: 0,
    voted: 0,
    next: "times",
    moved: false,
  });
  expect(before.ana).toMatchObject({ answered: true, answer: null, yes: 0 });

  await ben.rpc("cast_votes", { plan: id, times: { [second]: "if_need_be" }, places: {} });
  const after = await mine(ben);
  expect(after.card).toMatchObject({ voted: 1, next: null });
  expect((await mine(ana)).card.next).toBe("decide");
  expect([after.ana, after.ben]).toMatchObject([
    { answer: "yes", yes: 2 },
    { answer: "if_need_be", yes: 0 },
  ]);
});

test("a stranger has no card of a plan", async () => {
  const dev = await signedIn(backend, "dev");
  expect((await cards(dev)).map((card) => card.id)).not.toContain(plans.noodles);
  expect((await cards(ben)).map((card) => card.id)).toContain(plans.noodles);
});
