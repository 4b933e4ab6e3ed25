/** Owns: the routes. Screens behind sign-in hang under `seated`, which sends others to sign in and back. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { readPlacesSearch } from "../features/places/search.ts";
import { type PlanTab, planTabs } from "../features/plans/tab-props.ts";
import { needsSecondFactor } from "../features/session/needs-second-factor.ts";
import { currentSession } from "../lib/backend/current-session.ts";
import { storedSession } from "../lib/backend/stored-session.ts";
import { nextPath, oneOf, text, uuid } from "../lib/search.ts";
import { queries } from "./queries.ts";
import { BrokenScreen, NotFoundScreen } from "./routes/error-screens.tsx";

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundScreen,
  errorComponent: ({ error, reset }) => <BrokenScreen error={error} reset={reset} />,
});

const landing = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./routes/landing.tsx"), "Landing"),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search): { next?: string; why?: "ended" | "expired" } => ({
    next: nextPath(search.next),
    why: oneOf(["ended", "expired"], search.why),
  }),
  beforeLoad: async ({ search }) => {
    const session = await currentSession();
    // A guest may sign in with an account instead; an open second factor is asked for on this screen.
    if (!session || session.user.is_anonymous || needsSecondFactor(session)) return;
    throw redirect({ href: search.next ?? "/home", replace: true });
  },
  component: lazyRouteComponent(() => import("./routes/session/sign-in.tsx"), "SignIn"),
});
const start = createRoute({
  getParentRoute: () => root,
  path: "/start",
  beforeLoad: async () => {
    if (await currentSession()) throw redirect({ to: "/plans/new", replace: true });
  },
  component: lazyRouteComponent(() => import("./routes/session/start.tsx"), "Start"),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  component: lazyRouteComponent(() => import("./routes/session/reset-password.tsx"), "ResetPassword"),
});
const callback = createRoute({
  getParentRoute: () => root,
  path: "/auth/callback",
  validateSearch: (search): { next?: string; code?: string; error_description?: string } => ({
    next: nextPath(search.next),
    code: text(search.code),
    error_description: text(search.error_description),
  }),
  component: lazyRouteComponent(() => import("./routes/session/auth-callback.tsx"), "AuthCallback"),
});
const join = createRoute({
  getParentRoute: () => root,
  path: "/join/$token",
  component: lazyRouteComponent(() => import("./routes/join.tsx"), "Join"),
});
const planLink = createRoute({
  getParentRoute: () => root,
  path: "/plans/$id/join",
  validateSearch: (search): { tab?: PlanTab } => ({ tab: oneOf(planTabs, search.tab) }),
  component: lazyRouteComponent(() => import("./routes/plan-link.tsx"), "PlanLinkScreen"),
});
const mailChoice = createRoute({
  getParentRoute: () => root,
  path: "/mail/$token",
  component: lazyRouteComponent(() => import("./routes/mail-choice.tsx"), "MailChoiceScreen"),
});

const confirmAddress = createRoute({
  getParentRoute: () => root,
  path: "/mail/confirm/$token",
  component: lazyRouteComponent(() => import("./routes/mail-choice.tsx"), "ConfirmAddressScreen"),
});
const guest = createRoute({
  getParentRoute: () => root,
  path: "/guest/$token",
  component: lazyRouteComponent(() => import("./routes/session/guest.tsx"), "Guest"),
});

/** Whether somebody was signed in: a screen that closes then says that their session has ended. */
let wasSignedIn = false;
const seated = createRoute({
  getParentRoute: () => root,
  id: "seated",
  component: lazyRouteComponent(() => import("./shell.tsx"), "Shell"),
  beforeLoad: async ({ location }) => {
    wasSignedIn ||= storedSession() !== null;
    const session = await currentSession();
    if (session && !needsSecondFactor(session)) return;
    const ended = wasSignedIn && !session;
    wasSignedIn = false;
    // A plan's own link shows strangers what the plan is, and lets them ask for a seat.
    const [, plan] = /^\/plans\/([^/]+)$/.exec(location.pathname) ?? [];
    if (!session && !ended && uuid(plan) !== undefined)
      throw redirect({ href: `/plans/${plan}/join${location.searchStr}`, replace: true });
    throw redirect({ to: "/sign-in", search: { next: location.href, ...(ended && { why: "ended" }) } });
  },
});
const home = createRoute({
  getParentRoute: () => seated,
  path: "/home",
  loader: async () => (await import("./routes/home.tsx")).readHome(queries),
  component: lazyRouteComponent(() => import("./routes/home.tsx"), "Home"),
});
const circles = createRoute({
  getParentRoute: () => seated,
  path: "/circles",
  component: lazyRouteComponent(() => import("./routes/circles.tsx"), "Circles"),
});
const circle = createRoute({
  getParentRoute: () => seated,
  path: "/circles/$id",
  component: lazyRouteComponent(() => import("./routes/circle.tsx"), "CircleScreen"),
});
const newPlan = createRoute({
  getParentRoute: () => seated,
  path: "/plans/new",
  validateSearch: (search): { circle?: string; again?: string } => ({
    circle: uuid(search.circle),
    again: uuid(search.again),
  }),
  component: lazyRouteComponent(() => import("./routes/new-plan.tsx"), "NewPlan"),
});
const plan = createRoute({
  getParentRoute: () => seated,
  path: "/plans/$id",
  validateSearch: (search): { tab?: PlanTab } => ({ tab: oneOf(planTabs, search.tab) }),
  loader: async ({ params }) => (await import("./routes/plan.tsx")).readPlanScreen(queries, params.id),
  component: lazyRouteComponent(() => import("./routes/plan.tsx"), "PlanScreen"),
});
const places = createRoute({
  getParentRoute: () => seated,
  path: "/places",
  validateSearch: readPlacesSearch,
  component: lazyRouteComponent(() => import("./routes/places/places.tsx"), "Places"),
});
const newPlace = createRoute({
  getParentRoute: () => seated,
  path: "/places/new",
  // Another app shares a place by the manifest's share target: a link, a text with one, or a title.
  validateSearch: ({ plan, shared, url, text, title }): { plan?: string; shared?: string } => {
    const given = shared || url || text || title;
    return { plan: uuid(plan), ...(given ? { shared: String(given) } : {}) };
  },
  component: lazyRouteComponent(() => import("./routes/places/place-new.tsx"), "NewPlaceScreen"),
});
const place = createRoute({
  getParentRoute: () => seated,
  path: "/places/$id",
  component: lazyRouteComponent(() => import("./routes/places/place.tsx"), "PlaceScreen"),
});
const saved = createRoute({
  getParentRoute: () => seated,
  path: "/saved",
  component: lazyRouteComponent(() => import("./routes/places/places.tsx"), "Saved"),
});
const me = createRoute({
  getParentRoute: () => seated,
  path: "/me",
  component: lazyRouteComponent(() => import("./routes/me.tsx"), "Me"),
});
const notifications = createRoute({
  getParentRoute: () => seated,
  path: "/notifications",
  component: lazyRouteComponent(() => import("./routes/notifications.tsx"), "Notifications"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    landing,
    start,
    signIn,
    resetPassword,
    callback,
    join,
    planLink,
    guest,
    mailChoice,
    confirmAddress,
    seated.addChildren([
      home,
      circles,
      circle,
      newPlan,
      plan,
      places,
      newPlace,
      place,
      saved,
      me,
      notifications,
    ]),
  ]),
  defaultPreload: "intent",
  defaultViewTransition: true,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
