/** A place of which only the name is known: added by a guest without an account and by a host, chosen, and on the ticket. */
import { expect, signIn, test } from "../fixtures.ts";
import { layTable, people } from "../tables.ts";

test("a guest without an account adds a place by its name on a phone, others see it, and the host chooses it", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "By name", days: 1, guests: ["ben"] });
  const { page: anas } = await ana();
  await anas.goto(`${table.path}?tab=where`);
  await anas.getByRole("button", { name: "Suggest a place" }).waitFor();

  await stack.backend.sql(
    `insert into public.invites (plan_id, token_hash, expires_at, max_uses)
     values ('${table.id}', sha256('place-by-name'), now() + interval '1 day', 2)`,
  );
  const { page: noa } = await person("Noa", { device: "phone" });
  await noa.goto("/join/place-by-name");
  await noa.getByRole("textbox", { name: "Your name" }).fill("Noa");
  await noa.getByRole("button", { name: "Take a seat" }).tap();
  await noa.waitForURL("/plans/**");
  await noa.goto(`${table.path}?tab=where`);
  await noa.getByRole("button", { name: "Suggest a place" }).tap();
  const field = noa.getByRole("searchbox", { name: "Find or add a place" });
  await expect(field).toBeFocused();
  await field.fill("Pizzeria da Nonna");
  await noa.getByRole("button", { name: "Add “Pizzeria da Nonna”" }).tap();
  const card = (page: typeof noa) => page.getByRole("article").filter({ hasText: "Pizzeria da Nonna" });
  await expect(card(noa)).toContainText("Suggested by Noa");
  await expect(card(anas)).toBeVisible();

  // One name stands on a plan once, however it is written.
  await noa.getByRole("button", { name: "Suggest another place" }).tap();
  await field.fill("pizzeria DA nonna");
  await expect(noa.getByText("pizzeria DA nonna is on the plan.")).toBeVisible();
  await noa.keyboard.press("Escape");

  await card(anas).getByRole("radio", { name: "Yes", exact: true }).click();
  await anas.getByRole("tab", { name: "Best" }).click();
  await anas
    .getByRole("button", { name: /^Choose/ })
    .first()
    .click();
  await anas.getByRole("button", { name: "Choose it anyway" }).click();
  await expect(anas.getByText("Pizzeria da Nonna").first()).toBeVisible();
  await expect(anas.getByRole("link", { name: "Directions" })).toHaveCount(0);
});

test("a new plan takes a name that nobody knows, by Enter, which may come before the search begins", async ({
  ana,
  stack,
}) => {
  const { page } = await ana();
  // Places are looked for from where the person starts.
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await page.route("**/rest/v1/private_profiles*", async (route) => {
    await begun;
    await route.fallback();
  });
  await page.goto("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("At a secret place");
  await page.getByRole("button", { name: "Where", exact: true }).click();
  const field = page.getByRole("searchbox", { name: "Find or add a place" });
  await field.fill("Zzyzx Diner");
  await field.press("Enter");
  begin();
  await expect(page.getByRole("checkbox", { name: "Zzyzx Diner" })).toBeChecked();
  await expect(field).toHaveValue("");
  await expect(field).toBeFocused();
  await page.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "At a secret place" })).toBeVisible();
  expect(
    await stack.backend.sql(
      "select p.time_zone, p.price, p.latitude from public.places p where p.name = 'Zzyzx Diner'",
    ),
  ).toEqual([{ time_zone: "Europe/Lisbon", price: null, latitude: null }]);
});

test("a pasted map link fills name, position and time zone in the vote, and a name without a position is looked up", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "By link", days: 1 });
  const { page } = await ana({ device: "phone" });
  await page.goto(`${table.path}?tab=where`);
  await page.getByRole("button", { name: "Suggest a place" }).tap();
  const field = page.getByRole("searchbox", { name: "Find or add a place" });
  await field.fill("https://www.google.com/maps/place/Bar+Nestor/@43.2,-2.9,17z/data=!3d43.26!4d-2.93");
  await expect(field).toHaveValue("Bar Nestor");
  await expect(page.getByText("We have the location.")).toBeVisible();
  await page.getByRole("button", { name: "Add “Bar Nestor”" }).tap();
  await expect(page.getByRole("article").filter({ hasText: "Bar Nestor" })).toBeVisible();

  // A position without a name: the field asks for it.
  await page.getByRole("button", { name: "Suggest another place" }).tap();
  await field.fill("geo:38.71,-9.14");
  await expect(page.getByText("What's the place called?")).toBeVisible();
  await field.fill("Stand by the river");
  await page.getByRole("button", { name: "Add “Stand by the river”" }).tap();
  await expect(page.getByRole("article").filter({ hasText: "Stand by the river" })).toBeVisible();

  await page.getByRole("button", { name: "Suggest another place" }).tap();
  await field.fill("https://maps.apple.com/?q=Campo+de+Ourique");
  await page.getByRole("button", { name: "Use Campo de Ourique, Lisbon" }).tap();
  await expect(field).toHaveValue("Campo de Ourique");
  await page.getByRole("button", { name: "Add “Campo de Ourique”" }).tap();
  await expect(page.getByRole("article").filter({ hasText: "Campo de Ourique" })).toBeVisible();
  expect(
    await stack.backend.sql(
      `select p.name, p.latitude, p.time_zone, p.address from public.place_options as o join public.places as p on p.id = o.place_id
       where o.plan_id = '${table.id}' and p.name <> 'Campo de Ourique' order by p.name`,
    ),
  ).toEqual([
    { name: "Bar Nestor", latitude: 43.26, time_zone: "Europe/Madrid", address: "" },
    { name: "Stand by the river", latitude: 38.71, time_zone: "Europe/Lisbon", address: "" },
  ]);
});

test("a home is marked while a plan is made; its address is read by nobody else", async ({ ana, stack }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/plans/new");
  await page.getByRole("textbox", { name: "Plan name" }).fill("Round my table");
  await page.getByRole("button", { name: "Where", exact: true }).tap();
  await page.getByRole("searchbox", { name: "Find or add a place" }).fill("Ana's place");
  await page.getByText("It's at my home").tap();
  await page.getByRole("textbox", { name: "Your address" }).fill("Mill lane 3");
  await page.getByRole("button", { name: "Add “Ana's place”" }).tap();
  await page.getByRole("button", { name: "Create plan" }).tap();
  await expect(page.getByRole("heading", { level: 1, name: "Round my table" })).toBeVisible();
  expect(
    await stack.backend.sql(
      `select p.home, p.address, h.address as home_address, h.user_id from public.places as p
       join public.place_homes as h on h.place_id = p.id where p.name = 'Ana''s place'`,
    ),
  ).toEqual([{ home: true, address: "", home_address: "Mill lane 3", user_id: people.ana }]);
});

test("a host marks a place as their home; only who comes sees the address, once it is decided", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "At mine", days: 1, guests: ["ben", "chiara"] });
  await stack.backend.sql("update public.profiles set diets = '{}'");
  const vote = (name: "ben" | "chiara", answer: string) =>
    stack.backend.sql(
      `insert into public.time_votes (option_id, plan_id, user_id, answer) values ('${table.times[0]}', '${table.id}', '${people[name]}', '${answer}')`,
    );
  await vote("ben", "yes");
  await vote("chiara", "no");
  const [{ page }, { page: bens }, { page: chiaras }] = await Promise.all([
    ana({ device: "phone" }),
    person("Ben", { device: "phone" }),
    person("Chiara"),
  ]);
  await page.goto(`${table.path}?tab=where`);
  await page.getByRole("button", { name: "Suggest a place" }).tap();
  await page.getByRole("searchbox", { name: "Find or add a place" }).fill("Ana's kitchen");
  await page.getByRole("button", { name: "Add “Ana's kitchen”" }).tap();
  await expect(page.getByRole("article").filter({ hasText: "Ana's kitchen" })).toBeVisible();
  const [place] = await stack.backend.sql<{ id: string }>(
    "select id from public.places where name = 'Ana''s kitchen'",
  );
  await page.goto(`/places/${place?.id}`);
  await page.getByRole("button", { name: "This is at my home" }).tap();
  const address = page.getByRole("textbox", { name: "Address" });
  await expect(address).toBeFocused();
  await address.fill("Mill lane 3");
  await page.getByRole("button", { name: "Save address" }).tap();
  await expect(page.getByText("Mill lane 3")).toBeVisible();
  await expect(page.getByText("Only you and people who are coming see the address.")).toBeVisible();

  await Promise.all([bens.goto(`/sign-in?next=${table.path}`), chiaras.goto(`/sign-in?next=${table.path}`)]);
  await Promise.all([
    signIn(bens, "ben@nosh.test", table.path),
    signIn(chiaras, "chiara@nosh.test", table.path),
  ]);
  await bens.goto(`/places/${place?.id}`);
  await expect(bens.getByRole("heading", { name: "Ana's kitchen" })).toBeVisible();
  await expect(bens.getByText("No address yet")).toBeVisible();
  await bens.goto(table.path);

  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("button", { name: "Choose this" }).tap();
  await page.getByRole("button", { name: "Choose it anyway" }).tap();
  const ticket = (of: typeof page) => of.getByRole("article", { name: "Ticket" });
  await expect(ticket(bens)).toContainText("Mill lane 3");
  await expect(ticket(chiaras)).toContainText("Ana's kitchen");
  await expect(ticket(chiaras)).not.toContainText("Mill lane 3");
  await ticket(chiaras).getByText("I'm coming").click();
  await expect(ticket(chiaras)).toContainText("Mill lane 3");
});
