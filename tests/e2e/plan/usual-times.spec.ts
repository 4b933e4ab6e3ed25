/** Usual times: set under Me, filled in on a plan as unsent answers, changed and sent, also offline. */
import { expect, test } from "../fixtures.ts";
import { answersOf, layTable } from "../tables.ts";

test("usual times fill in answers that count only once they are sent", async ({ ana, stack }) => {
  const { page, watch } = await ana({ device: "phone" });
  watch.expect(/ERR_INTERNET_DISCONNECTED/);
  await page.goto("/me");
  const section = page.getByRole("region", { name: "Usual times" });
  for (const day of ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]) {
    await section.getByRole("combobox", { name: `${day}, Dinner` }).selectOption("Yes");
    await expect
      .poll(() => stack.backend.sql(`select 1 from public.usual_times where part = 'dinner'`))
      .not.toEqual([]);
  }
  await expect
    .poll(() => stack.backend.sql("select count(*)::integer as n from public.usual_times"))
    .toEqual([{ n: 7 }]);

  const table = await layTable(stack, { title: "As usual", guests: ["ben"], days: 3 });
  await page.goto(table.path);
  const offer = page.getByRole("region", { name: "From your usual times" });
  await expect(offer.getByRole("button", { name: "Send 3 answers" })).toBeVisible();
  await expect(offer.getByRole("radio", { name: "Yes", checked: true })).toHaveCount(3);
  expect(await answersOf(stack, table, "ana")).toEqual([null, null, null]);
  await offer.getByRole("radio", { name: "No", exact: true }).first().click();
  await page.context().setOffline(true);
  await offer.getByRole("button", { name: "Send 3 answers" }).click();
  await expect(offer).toBeHidden();
  expect(await answersOf(stack, table, "ana")).toEqual([null, null, null]);
  await page.context().setOffline(false);
  await expect.poll(() => answersOf(stack, table, "ana")).toEqual(["no", "yes", "yes"]);
});

test("a usual time is corrected and cleared", async ({ ana, stack }) => {
  const { page } = await ana();
  await page.goto("/me");
  const cell = page.getByRole("combobox", { name: "Friday, Lunch" });
  await cell.selectOption("No");
  await expect(page.getByRole("region", { name: "Usual times" }).getByText("Saved.")).toBeVisible();
  await page.reload();
  await expect(cell).toHaveValue("no");
  await cell.selectOption("It varies");
  await expect.poll(() => stack.backend.sql("select 1 from public.usual_times")).toEqual([]);
});
