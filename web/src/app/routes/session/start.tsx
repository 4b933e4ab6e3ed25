/** Owns: the first step of hosting without an account: a name. The new plan follows. */
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { displayName } from "../../../features/people/schema.ts";
import { signInAsGuest } from "../../../features/session/mutations.ts";
import { sessionWords } from "../../../features/session/words.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { focusFirstProblem } from "../../../ui/fields/first-problem.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { LanguageChoice } from "../../language-choice.tsx";

export function Start() {
  const words = sessionWords();
  useTitle(words.start.title);
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(false);
  const problem = asked ? displayName.safeParse(name).error?.issues[0]?.message : undefined;
  const enter = useMutation({
    mutationFn: () => signInAsGuest(name.trim()),
    onSuccess: () => navigate({ to: "/plans/new", replace: true }),
  });
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col gap-6 px-5 py-10 sm:justify-center">
      <div className="flex items-center justify-between gap-3">
        <Link to="/" className="numerals text-lg font-semibold">
          Nosh
        </Link>
        <LanguageChoice />
      </div>
      <h1 className="text-xl">{words.start.heading}</h1>
      <form
        className="paper flex flex-col gap-4 p-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
          if (displayName.safeParse(name).success) enter.mutate();
          else focusFirstProblem(event.currentTarget);
        }}
      >
        <Field
          label={words.yourName}
          help={words.start.help}
          autoComplete="name"
          value={name}
          onChange={setName}
          problem={problem}
          autoFocus
        />
        {enter.isError ? <ErrorNotice error={enter.error} /> : null}
        <Button type="submit" look="action" busy={enter.isPending}>
          {words.start.go}
        </Button>
      </form>
      <Link
        to="/sign-in"
        search={{ next: "/plans/new" }}
        className="self-start font-semibold text-action underline-offset-4 hover:underline"
      >
        {words.start.haveAccount}
      </Link>
    </main>
  );
}
