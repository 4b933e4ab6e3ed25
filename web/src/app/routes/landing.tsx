/** Owns: the front door: what this is, and a way in with one click. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { acceptInvite } from "../../features/invites/mutations.ts";
import { type DrawnSeat, TableDrawing } from "../../features/plans/components/table-drawing.tsx";
import { signInAsGuest } from "../../features/session/mutations.ts";
import { useSession } from "../../features/session/session.tsx";
import { env } from "../../lib/env.ts";
import { toAppError } from "../../lib/errors.ts";
import { useTitle } from "../../lib/title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dish } from "../../ui/dish.tsx";
import { ErrorNotice } from "../../ui/notice.tsx";

/** A table in the middle of deciding: one of each seat. */
const seats: DrawnSeat[] = [
  { id: "ana", name: "Ana", picture: null, look: "arrived", words: "is here" },
  { id: "ben", name: "Ben", picture: null, look: "set", words: "is coming" },
  { id: "chiara", name: "Chiara", picture: null, look: "set", words: "is coming" },
  { id: "dev", name: "Dev", picture: null, look: "maybe", words: "may come" },
  { id: "emre", name: "Emre", picture: null, look: "out", words: "is not coming" },
  { id: "fatou", name: "Fatou", picture: null, look: "set", words: "is coming" },
  { id: "you", name: "You", picture: null, look: "empty", words: "have not answered" },
];

const courses = [
  [
    "When and where, in one vote",
    "Times and places are answered together, and only pairs that are open then are served.",
  ],
  [
    "Safe for every diet",
    "A place that is not known to be safe for someone who is coming is never suggested silently.",
  ],
  ["Fair trips", "Everyone sees minutes, nobody sees a home. The longest way counts, not the mean."],
  [
    "A name is enough",
    "Friends join by link without an account, and keep everything if they make one later.",
  ],
] as const;

export function Landing() {
  useTitle(undefined);
  const session = useSession();
  const navigate = useNavigate();
  const tryIt = useMutation({
    mutationFn: async () => {
      if (!session) await signInAsGuest("Guest");
      return acceptInvite(env.VITE_DEMO_INVITE).catch((error: unknown) => {
        // No demo table here, or a full one, is no reason to stay outside.
        if (toAppError(error).kind === "conflict") return null;
        throw error;
      });
    },
    onSuccess: (seat) =>
      seat?.kind === "plan"
        ? navigate({ to: "/plans/$id", params: { id: seat.target } })
        : navigate({ to: "/home" }),
  });
  return (
    <div className="mx-auto flex min-h-dvh max-w-6xl flex-col px-5 sm:px-8">
      <header className="flex items-center justify-between py-5">
        <p className="numerals text-lg font-semibold">Nosh</p>
        {session ? (
          <ButtonLink to="/home">Your plans</ButtonLink>
        ) : (
          <ButtonLink to="/sign-in">Sign in</ButtonLink>
        )}
      </header>
      <main className="grid flex-1 items-center gap-10 pb-16 md:grid-cols-[1fr_1.05fr]">
        <div className="flex flex-col items-start gap-6">
          <h1 className="text-2xl sm:text-[3.75rem]">From “we should eat together” to one table.</h1>
          <p className="max-w-md text-lg text-ink-soft">
            Agree when. Agree where, safely for everyone's diet and fairly for everyone's trip. Meet, and
            remember it.
          </p>
          <div className="flex flex-wrap gap-3">
            <Button
              look="action"
              busy={tryIt.isPending}
              onPress={() => tryIt.mutate()}
              className="min-h-12 px-7"
            >
              Try it in one click
            </Button>
            {session ? null : (
              <ButtonLink to="/sign-in" className="min-h-12">
                Sign in or sign up
              </ButtonLink>
            )}
          </div>
          <p className="text-sm text-ink-soft">
            No account, no mail. You sit down as a guest at a table of six.
          </p>
          {tryIt.isError ? <ErrorNotice error={tryIt.error} /> : null}
        </div>
        <TableDrawing
          seats={seats}
          label="Friday dinner"
          centre={{ large: "19:30", small: "Friday" }}
          className="mx-auto w-full max-w-lg"
        />
        <section aria-label="What it does" className="md:col-span-2">
          <ul className="grid gap-x-10 gap-y-8 border-t border-edge/60 pt-8 sm:grid-cols-2 lg:grid-cols-4">
            {courses.map(([title, text]) => (
              <li key={title} className="flex flex-col gap-2">
                <Dish seed={title} className="w-14" />
                <h2 className="text-lg">{title}</h2>
                <p className="text-ink-soft">{text}</p>
              </li>
            ))}
          </ul>
        </section>
      </main>
    </div>
  );
}
