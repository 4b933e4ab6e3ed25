/** Owns chat helpers: the messages of a page, and sending one. */
import type { Locator, Page } from "@playwright/test";

export const messages = (page: Page, text: string | RegExp): Locator =>
  page.getByRole("list", { name: "Messages" }).getByRole("listitem").filter({ hasText: text });

export const composer = (page: Page): Locator => page.getByRole("textbox", { name: "Message to everyone" });

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** Opens a message's actions, and selects one. */
export async function choose(page: Page, text: string, what: string): Promise<void> {
  // An answer contains the quoted text and comes after it.
  const message = messages(page, text).first();
  await message.hover();
  await message.getByRole("button", { name: /^React or reply to/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: what, exact: true }).click();
}
