/** Owns: the landing page: what Nosh is, an animated table, a live example, and a sample table in one click. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useSession } from "../../features/session/session.tsx";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import type { DrawnSeat } from "../../features/table/drawn-seats.ts";
import { useTitle } from "../../lib/device/title.ts";
import { browserZone } from "../../lib/time.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dish } from "../../ui/dish.tsx";
import { ErrorNotice } from "../../ui/notice.tsx";
import { LanguageChoice } from "../language-choice.tsx";
import momos from "../pictures/momos.webp";
import table from "../pictures/table.webp";
import bowl from "../pictures/window.webp";
import { landingWords } from "../words/landing-words.ts";

const courses = ["vote", "diet", "trips", "name"] as const;
const pictures = [
  [table, "table"],
  [momos, "momos"],
  [bowl, "bowl"],
] as const;

export function Landing() {
  useTitle(undefined);
  const words = landingWords();
  const session = useSession();
  const navigate = useNavigate();
  const tryIt = useMutation({
    mutationFn: async () => {
      const [{ signInAsGuest }, { startSamplePlan }] = await Promise.all([
        import("../../features/session/mutations.ts"),
        import("../../features/plans/sample-table.ts"),
      ]);
      if (!session) await signInAsGuest(words.guestName);
      return startSamplePlan(words.sample, browserZone());
    },
    onSuccess: (id) => navigate({ to: "/plans/$id", params: { id } }),
  });
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-5 sm:px-8">
      <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-5">
        <p className="numerals text-lg font-semibold">Nosh</p>
        <div className="flex items-center gap-2">
          <LanguageChoice others />
          {session ? (
            <ButtonLink to="/home">{words.yourPlans}</ButtonLink>
          ) : (
            <ButtonLink to="/sign-in">{words.signIn}</ButtonLink>
          )}
        </div>
      </header>
      <main className="grid flex-1 items-center gap-10 pb-16 md:grid-cols-[1fr_1.05fr]">
        <div className="flex flex-col items-start gap-6">
          <h1 className="text-2xl hyphens-auto sm:text-[3.75rem]">{words.heading}</h1>
          <p className="max-w-md text-lg text-ink-soft">{words.text}</p>
          <div className="flex flex-wrap gap-3">
            <ButtonLink to={session ? "/plans/new" : "/start"} look="action" className="min-h-12 px-7">
              {words.plan}
            </ButtonLink>
            <Button busy={tryIt.isPending} onPress={() => tryIt.mutate()} className="min-h-12">
              {words.tryIt}
            </Button>
          </div>
          <p className="text-sm text-ink-soft">{words.noAccount}</p>
          {tryIt.isError ? <ErrorNotice error={tryIt.error} /> : null}
        </div>
        <FillingTable />
        <LiveExample />
        <section aria-label={words.whatItDoes} className="md:col-span-2">
          <ul className="grid gap-x-10 gap-y-8 border-t border-edge/60 pt-8 sm:grid-cols-2 lg:grid-cols-4">
            {courses.map((course) => (
              <li key={course} className="flex flex-col gap-2">
                <Dish seed={course} className="w-14" />
                <h2 className="text-lg">{words.courses[course].title}</h2>
                <p className="text-ink-soft">{words.courses[course].text}</p>
              </li>
            ))}
          </ul>
        </section>
        <section aria-labelledby="remember" className="flex flex-col gap-5 md:col-span-2">
          <div className="flex max-w-xl flex-col gap-2">
            <h2 id="remember" className="text-xl">
              {words.remember.title}
            </h2>
            <p className="text-ink-soft">{words.remember.text}</p>
          </div>
          <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
            {pictures.map(([source, key]) => (
              <li key={key} className="max-sm:first:col-span-2">
                <img
                  src={source}
                  alt={words.remember.pictures[key]}
                  width={640}
                  height={480}
                  loading="lazy"
                  decoding="async"
                  className="aspect-[4/3] w-full rounded-m object-cover"
                />
              </li>
            ))}
          </ul>
        </section>
      </main>
    </div>
  );
}

const Demo = lazy(() => import("../landing-demo.tsx"));

/** Loaded when it comes into view, so that the first view stays light. Its space is reserved against layout shifts. */
function LiveExample() {
  const words = landingWords().demo;
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true);
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section
      aria-labelledby="live-example"
      className="flex flex-col gap-6 border-t border-edge/60 pt-8 md:col-span-2"
    >
      <div className="flex max-w-xl flex-col gap-2">
        <h2 id="live-example" className="text-xl">
          {words.title}
        </h2>
        <p className="text-ink-soft">{words.text}</p>
      </div>
      <div ref={place} className="min-h-[72rem] lg:min-h-[41rem]">
        {near ? (
          <Suspense fallback={null}>
            <Demo />
          </Suspense>
        ) : null}
      </div>
    </section>
  );
}

/** The time between two arrivals: the animation ends within three seconds, and each arrival is visible. */
const FIRST_MS = 500;
const NEXT_MS = 380;

/** An example table with one seat of each look. People answer one after the other; the viewer's seat stays free. */
function FillingTable() {
  const words = landingWords();
  const people: DrawnSeat[] = [
    { id: "ana", name: "Ana", picture: null, look: "arrived", words: words.seats.here },
    { id: "ben", name: "Ben", picture: null, look: "set", words: words.seats.coming },
    { id: "chiara", name: "Chiara", picture: null, look: "set", words: words.seats.coming },
    { id: "dev", name: "Dev", picture: null, look: "maybe", words: words.seats.maybe },
    { id: "emre", name: "Emre", picture: null, look: "out", words: words.seats.out },
    { id: "fatou", name: "Fatou", picture: null, look: "set", words: words.seats.coming },
  ];
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const [answered, setAnswered] = useState(still ? people.length : 0);
  const full = answered >= people.length;
  useEffect(() => {
    if (full) return;
    const next = setTimeout(() => setAnswered(answered + 1), answered === 0 ? FIRST_MS : NEXT_MS);
    return () => clearTimeout(next);
  }, [answered, full]);
  const seats = people.map((seat, index): DrawnSeat => {
    // Not in the order of the seats, as people answer in any order.
    const turn = [0, 4, 1, 5, 2, 3][index] ?? index;
    return turn < answered ? seat : { ...seat, look: "empty", words: words.seats.silent };
  });
  return (
    <TableDrawing
      seats={[
        ...seats,
        { id: "you", name: words.you, picture: null, look: "empty", words: words.seats.youSilent },
      ]}
      label={words.table}
      centre={full ? { large: "19:30", small: words.friday } : { large: `${answered}/7`, small: "" }}
      className="mx-auto w-full max-w-lg"
    />
  );
}
