/** Owns: what the pages of an invite link and of a plan's own link share: the drawn table, the form, and why it is closed. */
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import type { Link, Namesake } from "../features/invites/preview.ts";
import { inviteWords } from "../features/invites/words.ts";
import { useSession } from "../features/session/session.tsx";
import { TableDrawing } from "../features/table/components/table-drawing.tsx";
import type { DrawnSeat } from "../features/table/drawn-seats.ts";
import { toAppError } from "../lib/errors.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Field } from "../ui/fields/field.tsx";
import { Form, focusFirstProblem } from "../ui/fields/form.tsx";
import { ErrorNotice, Loading } from "../ui/notice.tsx";

const JoiningAs = lazy(async () => ({
  default: (await import("../features/invites/components/joining-as.tsx")).JoiningAs,
}));
/** Loaded only for a person who may be at the table already. */
const NameTaken = lazy(async () => ({
  default: (await import("../features/invites/components/name-taken.tsx")).NameTaken,
}));

interface SeatFormProps {
  /** The button's text. */
  go: string;
  /** What the name is for. */
  help: string;
  busy: boolean;
  error: unknown;
  /** Called with a valid name, or null for a person who is signed in. */
  onGo: (name: string | null) => void;
  /** The page to come back to after signing in. */
  next: string;
  /** Whether the hosts still decide. */
  asking?: boolean;
  /** Where the seat is, and who lets people in. */
  link: Link;
  host: string;
  /** Who at the table has a name; null where the link does not say. */
  find: ((name: string) => Promise<Namesake | undefined>) | null;
  /** Called like `onGo` by a guest who says that they sit there already. */
  onBack?: SeatFormProps["onGo"] | undefined;
}

/** A name and a button; for a person who is signed in the button alone. */
export function SeatForm({
  go,
  help,
  busy,
  error,
  onGo,
  next,
  asking = false,
  link,
  host,
  find,
  onBack,
}: SeatFormProps) {
  const words = inviteWords();
  const session = useSession();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const [taken, setTaken] = useState<Namesake | "another">();
  const check = useMutation({
    // The rules for names are loaded together with the code that takes a seat.
    mutationFn: async ({ given }: { given: string; form: HTMLFormElement | null; ask: typeof onGo }) => {
      const { displayName } = await import("../features/people/schema.ts");
      const wrong = displayName.safeParse(given).error?.issues[0]?.message;
      return { wrong, same: wrong ? undefined : await find?.(given) };
    },
    onSuccess: ({ wrong, same }, { given, form, ask }) => {
      setProblem(wrong);
      if (wrong) focusFirstProblem(form);
      else if (same) setTaken(same);
      else ask(given.trim());
    },
  });
  const send = (form: HTMLFormElement | null, ask: typeof onGo) =>
    session ? ask(null) : check.mutate({ given: name, form, ask });
  const failed = error ?? check.error;
  if (typeof taken === "object")
    return (
      <Suspense>
        <NameTaken {...{ link, host, next }} namesake={taken} onOther={() => setTaken("another")} />
      </Suspense>
    );
  return (
    <Form noValidate className="flex flex-col gap-4" submit={(form) => send(form, onGo)}>
      {session ? (
        // As high without its words, which come later.
        <p className="min-h-6 text-center text-ink-soft">
          <Suspense fallback={null}>
            <JoiningAs id={session.user.id} asking={asking} />
          </Suspense>
        </p>
      ) : (
        <Field
          label={words.join.name}
          help={taken ? words.join.taken.initial : help}
          autoComplete="name"
          autoFocus={taken !== undefined}
          value={name}
          onChange={(given) => {
            setName(given);
            setProblem(undefined);
          }}
          problem={problem}
        />
      )}
      {failed ? <ErrorNotice error={failed} /> : null}
      <Button type="submit" look="action" busy={busy || check.isPending}>
        {go}
      </Button>
      {onBack ? (
        <Button isDisabled={busy} onClick={({ currentTarget }) => send(currentTarget.form, onBack)}>
          {words.planLink.wasHere}
        </Button>
      ) : null}
      {session ? null : (
        <ButtonLink to="/sign-in" search={{ next }} look="plain">
          {words.join.haveAccount}
        </ButtonLink>
      )}
    </Form>
  );
}

/** Says why the link gives no seat, with words for each reason and a way on. */
export function Closed({
  error,
  code,
  title,
  retry,
}: {
  error?: unknown;
  code?: string;
  title?: string;
  retry?: () => void;
}) {
  const words = inviteWords().join;
  const session = useSession();
  const why = words.closed[code ?? toAppError(error).code];
  return (
    <>
      <TableDrawing seats={[]} label={why?.title ?? words.untitled} className="mx-auto w-52 opacity-70" />
      <div className="flex flex-col gap-2 text-center">
        {title ? <p className="text-ink-soft">{title}</p> : null}
        {why ? (
          <>
            <h1 className="text-xl">{why.title}</h1>
            <p className="text-ink-soft">{why.text}</p>
          </>
        ) : (
          <h1 className="sr-only">{words.untitled}</h1>
        )}
      </div>
      {why ? null : <ErrorNotice error={error} {...(retry ? { retry } : {})} />}
      <div className="flex flex-wrap justify-center gap-2">
        {session ? (
          <ButtonLink to="/home" look="action">
            {words.toYourPlans}
          </ButtonLink>
        ) : (
          <ButtonLink to="/">{words.whatIsNosh}</ButtonLink>
        )}
        {why && retry ? (
          <Button look="plain" onPress={retry}>
            {words.tryAgain}
          </Button>
        ) : null}
      </div>
    </>
  );
}

/** While the link is read. */
export function Opening() {
  return (
    <Loading
      page
      what={inviteWords().join.loading}
      className="flex flex-col items-center gap-4"
      shapes={["size-64 rounded-full", "h-8 w-3/4", "h-11 w-full"]}
    />
  );
}

/** Signed-out people may see how many are there, but not who. The last seat is drawn as theirs. */
export function invitedTable(people: number): DrawnSeat[] {
  const words = inviteWords().join;
  const known = Array.from(
    { length: people },
    (_, index): DrawnSeat => ({
      id: `guest-${index}`,
      name: null,
      picture: null,
      look: "set",
      words: "",
    }),
  );
  return [...known, { id: "you", name: words.you, picture: null, look: "empty", words: words.yourSeat }];
}
