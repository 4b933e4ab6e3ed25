/** Owns the list of Nosh's main screens with the seed's data: the address of each, and when it is ready. */
import type { Page } from "@playwright/test";

export interface Screen {
  name: string;
  path: string;
  /** Whether it is shown to signed-out visitors. */
  signedOut?: boolean;
  /** An element that exists only once the screen's data is loaded. */
  shows: string;
  /** The elements to press then, in order, for a state that has no URL. */
  press?: readonly { role: "button" | "radio"; name: string }[];
  /** Expected messages of the browser. */
  complains?: RegExp;
  /** On a phone the tab is below the table: its picture begins at the tabs. */
  belowTabs?: boolean;
  /** Chat is a tab on narrow screens only; wide ones have it on the side. */
  narrowOnly?: boolean;
}

const plan = (number: number) => `/plans/00000000-0000-4000-8000-0000000000b${number}`;

export const screens: readonly Screen[] = [
  { name: "landing", path: "/", signedOut: true, shows: "Try a sample table" },
  { name: "start", path: "/start", signedOut: true, shows: "Continue" },
  { name: "sign-in", path: "/sign-in", signedOut: true, shows: "Take your seat" },
  { name: "reset-password", path: "/reset-password", signedOut: true, shows: "Forgot your password?" },
  { name: "join", path: "/join/demo-table", signedOut: true, shows: "Dinner before the holidays" },
  {
    name: "join-closed",
    path: "/join/no-such-token",
    signedOut: true,
    shows: "This link doesn't work",
    complains: /404/,
  },
  { name: "guest-link", path: "/guest/some-token", signedOut: true, shows: "Your seat, on this device" },
  { name: "home", path: "/home", shows: "Noodles after climbing" },
  { name: "circles", path: "/circles", shows: "Climbing crew" },
  { name: "circle", path: "/circles/00000000-0000-4000-8000-0000000000c1", shows: "Chiara turns thirty" },
  { name: "plan-new", path: "/plans/new", shows: "Anadolu Ocakbaşı" },
  { name: "plan-when", path: `${plan(1)}?tab=when`, shows: "Suggest another time" },
  {
    name: "plan-board",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "radio", name: "Grid" }],
  },
  {
    name: "plan-edit",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [
      { role: "button", name: "Manage plan" },
      { role: "button", name: "Edit plan" },
    ],
  },
  {
    name: "plan-manage",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "button", name: "Manage plan" }],
  },
  {
    name: "plan-person",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "button", name: "Manage Ben Okafor" }],
  },
  {
    name: "plan-calendar",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "button", name: "Compare with my calendar" }],
  },
  {
    name: "plan-what-if",
    path: `${plan(1)}?tab=best`,
    shows: "Choose this",
    press: [{ role: "button", name: "What if" }],
    belowTabs: true,
  },
  {
    name: "plan-again",
    path: "/plans/new?again=00000000-0000-4000-8000-0000000000b5",
    shows: "From The dumpling evening",
  },
  {
    name: "plan-many",
    path: "/plans/new",
    shows: "Anadolu Ocakbaşı",
    press: [{ role: "button", name: "Add several" }],
  },
  { name: "plan-where", path: `${plan(1)}?tab=where`, shows: "Jardim de Inverno", belowTabs: true },
  { name: "plan-best", path: `${plan(1)}?tab=best`, shows: "Choose this", belowTabs: true },
  {
    name: "plan-chat",
    path: `${plan(1)}?tab=chat`,
    shows: "Fatou, are you back",
    narrowOnly: true,
    belowTabs: true,
  },
  {
    name: "plan-photos",
    path: `${plan(5)}?tab=photos`,
    shows: "All of us, from above.",
    belowTabs: true,
  },
  { name: "plan-day", path: `${plan(4)}?tab=day`, shows: "Expected" },
  { name: "plan-rate", path: `${plan(5)}?tab=day`, shows: "What everyone thought" },
  { name: "plan-confirmed", path: `${plan(3)}?tab=when`, shows: "Maybe" },
  { name: "places", path: "/places", shows: "Momo Sete" },
  { name: "place", path: "/places/00000000-0000-4000-8000-000000000d04", shows: "Momo Sete" },
  { name: "places-map", path: "/places?view=map&q=momo", shows: "1 place" },
  { name: "places-none", path: "/places?q=zzzz", shows: "No matching places" },
  {
    name: "places-for-plan",
    path: `/places?plan=00000000-0000-4000-8000-0000000000b1`,
    shows: "Back to the plan",
  },
  { name: "place-new", path: "/places/new", shows: "Add hours" },
  { name: "place-edit", path: "/places/00000000-0000-4000-8000-000000000d04/edit", shows: "Same as Sunday" },
  { name: "place-gone", path: "/places/00000000-0000-4000-8000-00000000ffff", shows: "This place is gone" },
  { name: "saved", path: "/saved", shows: "Folha & Brasa" },
  { name: "me", path: "/me", shows: "Sign out on this device" },
  { name: "notifications", path: "/notifications", shows: "Activity" },
  {
    name: "mail-choice",
    path: "/mail/00000000-0000-4000-8000-0000000000e1",
    signedOut: true,
    shows: "Save",
  },
  { name: "not-found", path: "/no/such/page", shows: "Nobody is sitting here" },
];

/** Opens a screen and waits until its data, fonts and pictures are loaded and nothing moves. */
export async function visit(page: Page, screen: Screen): Promise<void> {
  await page.goto(screen.path);
  await page.getByText(screen.shows).first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('[aria-busy="true"]') === null &&
      // Home's heading is the person's name, which may load after the cards.
      document.querySelector("h1")?.textContent?.trim() !== "",
  );
  for (const { role, name } of screen.press ?? []) {
    await page.getByRole(role, { name, exact: true }).click();
    // The opened part may have to be loaded first.
    await page.waitForLoadState("networkidle");
  }
  await page.evaluate(async () => {
    await document.fonts.ready;
    const pictures = [...document.images].filter((image) => image.loading !== "lazy");
    await Promise.all(pictures.map((image) => image.decode().catch(() => undefined)));
  });
  await settle(page);
}

/** Shows the page in light or dark, and waits until the colour transition is over. */
export async function showIn(page: Page, theme: "light" | "dark"): Promise<void> {
  // Colours during a transition are meaningless; on a busy machine it may start late.
  const still = await page.addStyleTag({ content: "*, *::before, *::after { transition: none !important }" });
  await page.emulateMedia({ colorScheme: theme });
  await settle(page);
  await still.evaluate((element) => (element as Element).remove());
}

/** Waits until all animations and transitions have ended. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A transition starts with the frame after the change.
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    const ending = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.all(ending.map((animation) => animation.finished.catch(() => undefined)));
  });
}
