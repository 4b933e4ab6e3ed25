/** Owns: how a guest gets their seat back: an address, or a personal link; and the question before they sign out. */
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { KeepYourSeat } from "../../session/components/account.tsx";
import { signOut } from "../../session/mutations.ts";
import { useSession } from "../../session/session.tsx";
import { sessionWords } from "../../session/words.ts";
import { inviteWords } from "../words.ts";
import { AddressTaken } from "./address-taken.tsx";
import { PersonalLink } from "./personal-link.tsx";

/** For a host who has a name only: nobody else can give them their plan back. */
export function KeepHostSeat() {
  const words = inviteWords().keep;
  const session = useSession();
  if (!session?.user.is_anonymous) return null;
  return (
    <Sheet
      title={words.hostTitle}
      trigger={
        <Button look="plain" className="-ml-2 self-start text-left">
          {words.host}
        </Button>
      }
    >
      {() => (
        <>
          <p>{words.hostText}</p>
          <Ways />
        </>
      )}
    </Sheet>
  );
}

/** Signs a guest out, once they have read what they would lose. */
export function GuestSignOut({ label, onGone }: { label: string; onGone: () => unknown }) {
  const words = inviteWords().keep;
  const leave = useMutation({ mutationFn: signOut, onSuccess: onGone });
  return (
    <Sheet title={words.leaveTitle} trigger={<Button>{label}</Button>}>
      {(close) => (
        <>
          <p>{words.leaveText}</p>
          <Ways />
          {leave.isError ? <ErrorNotice error={leave.error} /> : null}
          <div className="flex flex-wrap gap-2">
            <Button busy={leave.isPending} onPress={() => leave.mutate()}>
              {words.leave}
            </Button>
            <Button look="plain" onPress={close}>
              {words.stay}
            </Button>
          </div>
        </>
      )}
    </Sheet>
  );
}

function Ways() {
  const guest = useSession()?.user.is_anonymous ?? false;
  if (!guest) return <p role="status">{sessionWords().keep.done}</p>;
  return (
    <>
      <KeepYourSeat taken={(email) => <AddressTaken email={email} />} />
      <PersonalLink />
    </>
  );
}
