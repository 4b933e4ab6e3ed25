/** Owns: the first step of hosting without an account: a name. The new plan follows. */
import { Link, useNavigate } from "@tanstack/react-router";
import { GuestForm } from "../../../features/invites/components/guest-form.tsx";
import { sessionWords } from "../../../features/session/words.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { LanguageChoice } from "../../language-choice.tsx";

export function Start() {
  const words = sessionWords().start;
  useTitle(words.title);
  const navigate = useNavigate();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col gap-6 px-5 py-10 sm:justify-center">
      <div className="flex items-center justify-between gap-3">
        <Link to="/" className="numerals text-lg font-semibold">
          Nosh
        </Link>
        <LanguageChoice />
      </div>
      <h1 className="text-xl">{words.heading}</h1>
      <GuestForm
        className="paper flex flex-col gap-4 p-5"
        help={words.help}
        go={words.go}
        focused
        onIn={() => navigate({ to: "/plans/new", replace: true })}
      />
      <Link
        to="/sign-in"
        search={{ next: "/plans/new" }}
        className="self-start font-semibold text-action underline-offset-4 hover:underline"
      >
        {words.haveAccount}
      </Link>
    </main>
  );
}
