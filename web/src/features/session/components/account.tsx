/** Owns: the account itself: keeping it, its password, its other devices, taking its data along, ending it. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { addEmail, deleteAccount, exportMyData, signOutElsewhere } from "../mutations.ts";
import { useSession } from "../session.tsx";

/** @param onGone called when the account is deleted. */
export function Account({ onGone }: { onGone: () => void }) {
  const session = useSession();
  if (!session) return null;
  return (
    <>
      {session.user.is_anonymous ? <KeepYourSeat /> : <Signed email={session.user.email ?? ""} />}
      <YourData id={session.user.id} onGone={onGone} />
    </>
  );
}

function Signed({ email }: { email: string }) {
  const elsewhere = useMutation({ mutationFn: signOutElsewhere });
  return (
    <section aria-label="Account" className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">Your account</h2>
      <p className="text-ink-soft">Signed in as {email}.</p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/reset-password">Change password</ButtonLink>
        <Button look="plain" busy={elsewhere.isPending} onPress={() => elsewhere.mutate()}>
          Sign out everywhere else
        </Button>
      </div>
      {elsewhere.isError ? <ErrorNotice error={elsewhere.error} /> : null}
      <p role="status" className="text-sm text-yes">
        {elsewhere.isSuccess ? "Only this device is signed in now." : ""}
      </p>
    </section>
  );
}

function KeepYourSeat() {
  const [email, setEmail] = useState("");
  const add = useMutation({ mutationFn: () => addEmail(email) });
  return (
    <form
      className="paper flex flex-col gap-4 border-l-4 border-l-glow p-5"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <h2 className="text-lg">Keep your seat</h2>
      <p className="text-ink-soft">
        You are here as a guest on this device. Add an address and everything stays yours.
      </p>
      <Field label="Email" type="email" autoComplete="email" value={email} onChange={setEmail} isRequired />
      {add.isError ? <ErrorNotice error={add.error} /> : null}
      {add.isSuccess ? (
        <p role="status">We sent a mail to {email}. Follow the link in it, and the address is yours.</p>
      ) : (
        <Button type="submit" look="action" busy={add.isPending} className="self-start">
          Add this address
        </Button>
      )}
    </form>
  );
}

function YourData({ id, onGone }: { id: string; onGone: () => void }) {
  const take = useMutation({ mutationFn: exportMyData, onSuccess: saveFile });
  return (
    <section aria-label="Your data" className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">Your data</h2>
      <p className="text-ink-soft">
        One file with everything that is kept about you, to read or to take along.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button busy={take.isPending} onPress={() => take.mutate()}>
          Export my data
        </Button>
        <Sheet trigger={<Button look="plain">Delete my account</Button>} title="Leave for good?">
          {(close) => <Goodbye id={id} onGone={onGone} stay={close} />}
        </Sheet>
      </div>
      {take.isError ? <ErrorNotice error={take.error} /> : null}
      <p role="status" className="text-sm text-yes">
        {take.isSuccess ? "Saved as nosh-export.json." : ""}
      </p>
    </section>
  );
}

function Goodbye({ id, onGone, stay }: { id: string; onGone: () => void; stay: () => void }) {
  const go = useMutation({ mutationFn: () => deleteAccount(id), onSuccess: onGone });
  return (
    <>
      <p>
        Your profile, votes, seats and saved places go at once, and nothing brings them back. What you gave to
        a table, messages and photos, stays there without your name.
      </p>
      <p>Plans and circles that you look after pass to somebody else at the table.</p>
      {go.isError ? <ErrorNotice error={go.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="action" busy={go.isPending} onPress={() => go.mutate()}>
          Delete my account
        </Button>
        <Button look="plain" onPress={stay}>
          Stay
        </Button>
      </div>
    </>
  );
}

function saveFile(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "nosh-export.json";
  link.click();
  URL.revokeObjectURL(address);
}
