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
  /** What is there once the last press has had its effect. */
  opens?: string;
  /** Statements that add to the seed's data what only this screen shows. See `arrange`. */
  data?: readonly string[];
  /** Expected messages of the browser. */
  complains?: RegExp;
  /** On a phone the tab is below the table: its picture begins at the tabs. */
  belowTabs?: boolean;
  /** Chat is a tab on narrow screens only; wide ones have it on the side. */
  narrowOnly?: boolean;
}

const OWN_PLANS = "00000000-0000-4000-8000-000000005c0";
/** The first part of the ids of people whom only some screens have. */
const OWN_PEOPLE = "00000000-0000-4000-8000-0000000a5c";

/** Plans that only some screens have: Ana's with Ben, Chiara and Dev, three evenings, three places. */
const ownPlan = (number: number, title: string): string[] => {
  const id = `${OWN_PLANS}${number}`;
  return [
    `insert into public.plans (id, title, time_zone) values ('${id}', '${title}', 'Europe/Lisbon')`,
    `insert into public.plan_members (plan_id, user_id, role, rsvp)
     select '${id}', ('00000000-0000-4000-8000-0000000000' || person)::uuid, role::public.plan_role, rsvp::public.rsvp_status
     from (values ('a1', 'host', 'going'), ('a2', 'guest', 'going'), ('a3', 'guest', 'maybe'), ('a4', 'guest', 'going'))
       as seat (person, role, rsvp)`,
    `insert into public.time_options (id, plan_id, starts_at, ends_at)
     select ('00000000-0000-4000-8000-0000005c${number}' || lpad(day::text, 3, '0'))::uuid, '${id}', at, at + interval '2 hours 30 minutes'
     from generate_series(1, 3) as day, lateral (
       select (date_trunc('week', now()) + make_interval(days => 10 + day, hours => 19, mins => 30)) at time zone 'Europe/Lisbon' as at
     ) as evening`,
    `insert into public.place_options (id, plan_id, place_id)
     select ('00000000-0000-4000-8000-0000005f${number}' || place)::uuid, '${id}', ('00000000-0000-4000-8000-000000000' || place)::uuid
     from unnest(array['d04', 'd07', 'd12']) as place`,
    `insert into public.time_votes (option_id, plan_id, user_id, answer)
     select o.id, o.plan_id, m.user_id, case when (row_number() over (order by o.starts_at, m.user_id)) % 5 = 0 then 'no' else 'yes' end::public.vote_answer
     from public.time_options as o join public.plan_members as m on m.plan_id = o.plan_id
     where o.plan_id = '${id}'`,
  ];
};

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
  { name: "plan-link", path: `${plan(1)}/join`, signedOut: true, shows: "Ask to join" },
  { name: "guest-link", path: "/guest/some-token", signedOut: true, shows: "Your seat, on this device" },
  { name: "home", path: "/home", shows: "Noodles after climbing" },
  { name: "circles", path: "/circles", shows: "Climbing crew" },
  { name: "circle", path: "/circles/00000000-0000-4000-8000-0000000000c1", shows: "Chiara turns thirty" },
  { name: "plan-new", path: "/plans/new", shows: "Options" },
  {
    name: "plan-new-unfolded",
    path: "/plans/new",
    shows: "Options",
    press: ["Who", "Where", "Note", "Options"].map((name) => ({ role: "button", name })),
  },
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
    opens: "Guests can suggest times and places",
  },
  {
    name: "plan-requests",
    path: `${plan(1)}?tab=when`,
    shows: "Asking to join",
    data: [
      `insert into auth.users (id, is_anonymous, raw_user_meta_data, aud, role) values
         ('${OWN_PEOPLE}01', true, '{"display_name": "Lea"}', 'authenticated', 'authenticated')`,
      `insert into private.join_requests (plan_id, user_id)
         values ('00000000-0000-4000-8000-0000000000b1', '${OWN_PEOPLE}01')`,
    ],
  },
  {
    name: "plan-manage",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "button", name: "Manage plan" }],
    opens: "Edit plan",
  },
  {
    name: "plan-person",
    path: `${plan(1)}?tab=when`,
    shows: "Suggest another time",
    press: [{ role: "button", name: "Manage Ben Okafor" }],
    opens: "Has to be there",
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
    shows: "Options",
    press: [
      { role: "button", name: "2 times" },
      { role: "button", name: "Add several" },
    ],
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
  {
    name: "plan-proposal",
    path: `/plans/${OWN_PLANS}1?tab=when`,
    shows: "unless someone objects",
    data: [
      ...ownPlan(1, "Late November"),
      `update public.plans set decides_itself = true, vote_deadline = now() - interval '2 hours',
         decided_deadline = now() - interval '2 hours'
       where id = '${OWN_PLANS}1'`,
      `update public.plans set proposed_time_id = '00000000-0000-4000-8000-0000005c1002', proposed_at = now(),
         proposed_place_id = '00000000-0000-4000-8000-0000005f1d04', veto_until = date_trunc('hour', now()) + interval '10 hours'
       where id = '${OWN_PLANS}1'`,
    ],
  },
  {
    name: "plan-change",
    path: `/plans/${OWN_PLANS}2?tab=when`,
    shows: "Manage plan",
    press: [
      { role: "button", name: "Manage plan" },
      { role: "button", name: "Change time or place" },
    ],
    opens: "Change it and tell everyone",
    data: [
      ...ownPlan(2, "Friends from before"),
      `update public.plans set status = 'confirmed', chosen_time_id = '00000000-0000-4000-8000-0000005c2001',
         chosen_place_id = '00000000-0000-4000-8000-0000005f2d04'
       where id = '${OWN_PLANS}2'`,
    ],
  },
  {
    name: "standing-dinner",
    path: "/circles/00000000-0000-4000-8000-0000000000c1",
    shows: "Chiara turns thirty",
    press: [{ role: "button", name: "Add a standing dinner" }],
    opens: "Who hosts",
  },
  { name: "places", path: "/places", shows: "Momo Sete" },
  { name: "place", path: "/places/00000000-0000-4000-8000-000000000d04", shows: "Momo Sete" },
  { name: "places-map", path: "/places?view=map&q=momo", shows: "1 place" },
  { name: "places-none", path: "/places?q=zzzz", shows: "No matching places" },
  {
    name: "places-for-plan",
    path: `/places?plan=00000000-0000-4000-8000-0000000000b1`,
    shows: "Back to the plan",
  },
  { name: "place-new", path: "/places/new", shows: "Name of the place" },
  { name: "place-gone", path: "/places/00000000-0000-4000-8000-00000000ffff", shows: "This place is gone" },
  { name: "saved", path: "/saved", shows: "Folha & Brasa" },
  { name: "me", path: "/me", shows: "Sign out on this device" },
  { name: "notifications", path: "/notifications", shows: "Activity" },
  { name: "confirm-address", path: "/mail/confirm/token", signedOut: true, shows: "Confirm my address" },
  {
    name: "mail-choice",
    path: "/mail/00000000-0000-4000-8000-0000000000e1",
    signedOut: true,
    shows: "Save",
  },
  { name: "not-found", path: "/no/such/page", shows: "Nothing here" },
];

/** Brings the data into the screen's state: the seed's, without what another screen added. */
export async function arrange(sql: (statement: string) => Promise<unknown>, screen: Screen): Promise<void> {
  await sql(`delete from public.plans where id::text like '${OWN_PLANS}%'`);
  await sql(`delete from auth.users where id::text like '${OWN_PEOPLE}%'`);
  for (const statement of screen.data ?? []) await sql(statement);
}

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
  if (screen.opens) await page.getByText(screen.opens).first().waitFor();
  // What opened under the pointer would look as if it were hovered.
  if (screen.press) await page.mouse.move(0, 0);
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
