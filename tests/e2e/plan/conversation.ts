/** Owns how a test talks: the messages of a page, and saying something. */
import type { Locator, Page } from "@playwright/test";

export const messages = (page: Page, text: string | RegExp): Locator =>
  page.getByRole("list", { name: "Messages" }).getByRole("listitem").filter({ hasText: text });

export const composer = (page: Page): Locator => page.getByRole("textbox", { name: "Message to everyone" });

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** Opens what can be done with a message, and does it. */
export async function choose(page: Page, text: string, what: string): Promise<void> {
  // An answer quotes what it answers, and comes after it.
  const message = messages(page, text).first();
  await message.hover();
  await message.getByRole("button", { name: /^React or reply to/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: what, exact: true }).click();
}
