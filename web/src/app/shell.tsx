/** Owns: the frame of every screen behind sign-in: the bar at the bottom of a phone, the rail of a wide screen. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useMailLanguage } from "../features/mail/language.ts";
import { NewsMark, NewsSpoken } from "../features/notifications/components/news-link.tsx";
import { OutboxNotice } from "../features/outbox/components/outbox-notice.tsx";
import { openOutbox, useOutbox } from "../features/outbox/device.ts";
import { waiting } from "../features/outbox/outbox.ts";
import { outboxWords } from "../features/outbox/words.ts";
import { faceOf, peopleQueries } from "../features/people/queries.ts";
import { useSubscriptionRefresh } from "../features/push/refresh.ts";
import { useMyId, useSession } from "../features/session/session.tsx";
import { useOnline } from "../lib/device/online.ts";
import { browserZone, clockOf, dateOf, dayOf } from "../lib/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { CalendarIcon, HeartIcon, MapPinIcon, UsersIcon } from "../ui/icons.ts";
import { asOf } from "./persisted-cache.ts";
import { appWords } from "./words.ts";

const places = [
  { to: "/home", word: "plans", Icon: CalendarIcon },
  { to: "/circles", word: "circles", Icon: UsersIcon },
  { to: "/places", word: "places", Icon: MapPinIcon },
  { to: "/saved", word: "saved", Icon: HeartIcon },
] as const;

const item =
  "flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 rounded-s text-[min(0.75rem,3.75vw)] text-ink-soft transition-colors " +
  "duration-150 hover:text-ink data-[status=active]:font-semibold data-[status=active]:text-action lg:w-20 lg:flex-none lg:py-2 lg:text-xs";

/** After a sign-out, here or in another tab, the screens behind sign-in close at once; the routes redirect. */
export function Shell() {
  const session = useSession();
  const router = useRouter();
  useEffect(() => {
    if (!session) void router.invalidate();
  }, [session, router]);
  return session ? <Frame /> : null;
}

function Frame() {
  const words = appWords();
  const me = useMyId();
  const queries = useQueryClient();
  useEffect(() => openOutbox(me, queries), [me, queries]);
  useMailLanguage(me);
  useSubscriptionRefresh(me);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const before = shown.current;
    shown.current = pathname;
    // The first screen keeps the browser's own focus, and one that is reached from outside the frame, as by joining, its
    // field's. Every other new screen takes the keyboard focus to its start.
    const keeps = loadedPath() === pathname || main.current?.contains(document.activeElement);
    if (before === pathname || (before === null && keeps)) return;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  const profile = useQuery(peopleQueries.profile(me));
  const face = faceOf(me, profile.data ?? { display_name: words.me, avatar_path: null });
  return (
    <div className="min-h-dvh lg:pl-24">
      <a
        href="#main"
        className="sr-only z-50 rounded-s bg-card px-4 py-3 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {words.toContent}
      </a>
      <nav
        aria-label={words.mainNavigation}
        className="fixed inset-x-0 bottom-0 z-40 border-t border-line bg-card pb-[env(safe-area-inset-bottom)] lg:inset-y-0 lg:right-auto lg:w-24 lg:border-t-0 lg:border-r"
      >
        <Link to="/home" className="numerals hidden justify-center py-5 text-lg font-semibold lg:flex">
          Nosh
        </Link>
        <ul className="mx-auto flex max-w-lg lg:flex-col lg:items-center lg:gap-1">
          {places.map(({ to, word, Icon }) => (
            <li key={to} className="flex flex-1">
              <Link to={to} className={item}>
                <span className="relative">
                  <Icon aria-hidden className="size-6" />
                  {to === "/home" ? <NewsMark me={me} /> : null}
                </span>
                {words[word]}
                {to === "/home" ? <NewsSpoken /> : null}
              </Link>
            </li>
          ))}
          <li className="flex flex-1">
            <Link to="/me" className={item}>
              <Avatar face={face} size={24} />
              {words.me}
            </Link>
          </li>
        </ul>
      </nav>
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className="mx-auto max-w-[92rem] px-4 pt-5 pb-28 outline-none sm:px-6 lg:px-8 lg:pb-10"
      >
        <Offline />
        <OutboxNotice />
        <Outlet />
      </main>
    </div>
  );
}

/** The path that the page was loaded with: screens outside the frame may have come first. */
function loadedPath(): string {
  const [loaded] = performance.getEntriesByType("navigation");
  return loaded ? new URL(loaded.name).pathname : location.pathname;
}

/** The only notice while there is no connection: the age of the data, and how many changes wait to be sent. */
function Offline() {
  const words = appWords();
  const online = useOnline();
  const queries = useQueryClient();
  const [since, setSince] = useState<number | null>(null);
  const held = useOutbox().filter(waiting).length;
  useEffect(() => {
    if (online) return;
    const look = () => setSince(asOf(queries));
    look();
    // A component may add a query while it renders, when no state may be set.
    return queries.getQueryCache().subscribe(() => queueMicrotask(look));
  }, [online, queries]);
  return (
    <p role="status">
      {online ? null : (
        <span className="mb-4 block rounded-s border border-maybe/60 bg-card-warm px-4 py-2 text-sm">
          {[
            words.offline,
            held > 0 ? outboxWords().waiting(held) : words.offlineSaves,
            since === null ? "" : words.asOf(formatMoment(since)),
          ].join(" ")}
        </span>
      )}
    </p>
  );
}

/** "14:05", and the day where that was not today. */
function formatMoment(instant: number): string {
  const zone = browserZone();
  const time = clockOf(new Date(instant).toISOString(), zone);
  const today = dateOf(instant, zone) === dateOf(Date.now(), zone);
  return today ? time : `${dayOf(new Date(instant).toISOString(), zone)}, ${time}`;
}
