/** How much it takes: from a link to a vote that is cast. */
import { expect, test } from "../fixtures.ts";

test("a guest comes from the link to a vote by two taps and a name", async ({ person, stack }) => {
  const { page } = await person("Noa", { device: "phone" });
  await page.addInitScript(() => {
    addEventListener(
      "click",
      () => sessionStorage.setItem("taps", String(Number(sessionStorage.getItem("taps") ?? 0) + 1)),
      true,
    );
  });
  await page.goto("/join/demo-table");
  await page.getByRole("textbox", { name: "Your name" }).fill("Noa Two Taps");
  await page.getByRole("button", { name: "Take a seat" }).tap();
  const yes = page.getByRole("radio", { name: "Yes", exact: true }).first();
  await expect(yes).toBeInViewport({ ratio: 1 });
  await yes.tap();
  await expect
    .poll(() =>
      stack.backend.sql(
        `select v.answer from public.time_votes as v join public.profiles as p on p.id = v.user_id
         where p.display_name = 'Noa Two Taps'`,
      ),
    )
    .toEqual([{ answer: "yes" }]);
  expect(await page.evaluate(() => sessionStorage.getItem("taps"))).toBe("2");
});
