/** Invite links for tests, and joining by one. */
import type { Page } from "@playwright/test";
import type { Stack } from "../stack.ts";

const ANA = "00000000-0000-4000-8000-0000000000a1";

/** A link to a plan of Ana's, inserted into the database. */
export async function linkTo(stack: Stack, plan: string, changes = ""): Promise<string> {
  const token = crypto.randomUUID();
  await stack.backend.sql(
    `insert into public.invites (plan_id, token_hash, created_by, expires_at, max_uses)
     values ('${plan}', extensions.digest('${token}', 'sha256'), '${ANA}',
       now() + interval '1 day', 2)`,
  );
  if (changes) {
    await stack.backend.sql(
      `update public.invites set ${changes} where token_hash = extensions.digest('${token}', 'sha256')`,
    );
  }
  return `/join/${token}`;
}

/** Joins a plan with a name only. */
export async function sitDown(page: Page, link: string, name: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("textbox", { name: "Your name" }).fill(name);
  await page.getByRole("button", { name: "Take a seat" }).click();
  await page.waitForURL(/\/plans\//);
}
