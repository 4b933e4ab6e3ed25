/** Owns: moving this device's guest into the account that has just signed in, and showing the result. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type GuestToMove, guestToMove } from "../../../lib/device/guest-to-move.ts";
import { toAppError } from "../../../lib/errors.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { LoaderIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { moveGuest } from "../move-guest.ts";
import { inviteWords } from "../words.ts";

/** @param account the signed-in account; if it is not the one that the guest named, the person is asked first */
export function GuestMove({
  guest,
  account,
}: {
  guest: GuestToMove;
  account: { id: string; email: string };
}) {
  const words = inviteWords().move;
  const queries = useQueryClient();
  const intended = guest.email.toLowerCase() === account.email.toLowerCase();
  const [later, setLater] = useState(false);
  const begun = useRef(false);
  const move = useMutation({
    mutationFn: () => moveGuest(guest, account.id),
    onSuccess: () => queries.invalidateQueries(),
  });
  const { mutate } = move;
  useEffect(() => {
    if (!intended || begun.current) return;
    begun.current = true;
    mutate();
  }, [intended, mutate]);

  // An earlier move may have succeeded although its response was lost.
  const used = move.isError && toAppError(move.error).code === "personal_link_gone";

  if (later) return null;
  return (
    <section
      aria-label={words.heading}
      className="paper flex flex-col items-start gap-3 border-l-4 border-l-glow p-5"
    >
      <h2 className="text-lg">{words.heading}</h2>
      {move.isSuccess ? null : intended && !move.isError ? (
        <p className="flex items-center gap-3">
          <LoaderIcon aria-hidden className="spinning size-5" /> {words.moving}
        </p>
      ) : used ? (
        <p role="alert">{words.used}</p>
      ) : move.isError ? (
        <ErrorNotice error={move.error} {...(guestToMove() ? { retry: () => move.mutate() } : {})} />
      ) : (
        <>
          <p>{words.ask(account.email)}</p>
          <div className="flex flex-wrap gap-2">
            <Button look="action" busy={move.isPending} onPress={() => move.mutate()}>
              {words.move}
            </Button>
            <Button look="plain" isDisabled={move.isPending} onPress={() => setLater(true)}>
              {words.later}
            </Button>
          </div>
        </>
      )}
      <p role="status">{move.isSuccess ? words.moved(move.data) : ""}</p>
      {(move.isSuccess && move.data > 0) || used ? <ButtonLink to="/home">{words.show}</ButtonLink> : null}
    </section>
  );
}
