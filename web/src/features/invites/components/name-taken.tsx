/** Owns: the question to a person whose name somebody at the table has: whether they are that person, on a lost device. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useSession } from "../../session/session.tsx";
import type { Link, Namesake } from "../preview.ts";
import { askForOwnSeat } from "../seat.ts";
import { inviteWords } from "../words.ts";

interface NameTakenProps {
  link: Link;
  namesake: Namesake;
  host: string;
  /** The page to come back to after signing in. */
  next: string;
  /** Called by a person who is another one. */
  onOther: () => void;
}

export function NameTaken({ link, namesake: { kind, called }, host, next, onOther }: NameTakenProps) {
  const words = inviteWords().join.taken;
  const session = useSession();
  const navigate = useNavigate();
  const ask = useMutation({
    // After a failure the guest is signed in already.
    mutationFn: () => askForOwnSeat(link, session ? null : called),
    onSuccess: (id) => navigate({ to: "/plans/$id", params: { id }, replace: true }),
  });
  const text = { guest: words.guest(host), account: words.account(called), several: words.severalText }[kind];
  return (
    <section aria-labelledby="name-taken" className="paper flex flex-col gap-3 p-5">
      <h2 id="name-taken" ref={focus} tabIndex={-1} className="text-lg outline-none [overflow-wrap:anywhere]">
        {kind === "several" ? words.several(called) : words.question(called)}
      </h2>
      <p className="text-ink-soft">{text}</p>
      {ask.isError ? <ErrorNotice error={ask.error} /> : null}
      {kind === "guest" ? (
        <Button look="action" busy={ask.isPending} onPress={() => ask.mutate()}>
          {words.ask}
        </Button>
      ) : null}
      {kind === "account" ? (
        <ButtonLink to="/sign-in" search={{ next }} look="action">
          {words.signIn}
        </ButtonLink>
      ) : null}
      <Button onPress={onOther}>{words.other}</Button>
    </section>
  );
}

/** The question takes the place of the form that had the focus. */
function focus(heading: HTMLElement | null) {
  heading?.focus();
}
