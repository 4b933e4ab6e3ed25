/** Owns: account settings: keeping a guest account (its own block), password, other devices, data export, deletion. */
import type { User } from "@supabase/supabase-js";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { download } from "../../../lib/device/download.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { addEmail, confirmEmail, deleteAccount, exportMyData, signOutElsewhere } from "../mutations.ts";
import { useSession } from "../session.tsx";
import { sessionWords } from "../words.ts";
import { CodeForm } from "./code-form.tsx";

/** @param onGone called when the account is deleted */
export function Account({ onGone }: { onGone: () => void }) {
  const session = useSession();
  if (!session) return null;
  return (
    <>
      {session.user.is_anonymous ? null : <Signed email={session.user.email ?? ""} />}
      <YourData user={session.user} onGone={onGone} />
    </>
  );
}

function Signed({ email }: { email: string }) {
  const words = sessionWords().account;
  const elsewhere = useMutation({ mutationFn: signOutElsewhere });
  return (
    <section aria-label={words.label} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.heading}</h2>
      <p className="text-ink-soft">{words.signedInAs(email)}</p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/reset-password">{words.changePassword}</ButtonLink>
        <Button look="plain" busy={elsewhere.isPending} onPress={() => elsewhere.mutate()}>
          {words.signOutElsewhere}
        </Button>
      </div>
      {elsewhere.isError ? <ErrorNotice error={elsewhere.error} /> : null}
      <p role="status" className="text-sm text-yes">
        {elsewhere.isSuccess ? words.onlyHere : ""}
      </p>
    </section>
  );
}

/**
 * The guest stays the same user: the address is added, and confirmed by a mail.
 * @param taken renders the message to a guest whose address already has an account
 */
export function KeepYourSeat({ taken }: { taken: (email: string) => ReactNode }) {
  const words = sessionWords().keep;
  const queries = useQueryClient();
  return (
    <CodeForm
      className="paper flex flex-col gap-4 border-l-4 border-l-glow p-5"
      above={
        <>
          <h2 className="text-lg">{words.heading}</h2>
          <p className="text-ink-soft">{words.text}</p>
        </>
      }
      send={addEmail}
      check={confirmEmail}
      onChecked={() => queries.invalidateQueries()}
      words={{ send: words.add, check: words.confirm }}
      sent={(email) => <p role="status">{words.sent(email)}</p>}
      refusal={(code, email) => (code === "email_exists" ? taken(email) : null)}
    />
  );
}

function YourData({ user, onGone }: { user: User; onGone: () => void }) {
  const words = sessionWords().data;
  const leave = user.is_anonymous ? words.leaveAsGuest : words.leave;
  const go = useMutation({ mutationFn: () => deleteAccount(user.id), onSuccess: onGone });
  const take = useMutation({
    mutationFn: exportMyData,
    onSuccess: (text) => download(new Blob([text], { type: "application/json" }), "nosh-export.json"),
  });
  return (
    <section aria-label={words.heading} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.heading}</h2>
      <p className="text-ink-soft">{words.text}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={take.isPending} onPress={() => take.mutate()}>
          {words.take}
        </Button>
        <Sheet trigger={<Button look="plain">{leave.delete}</Button>} title={leave.title}>
          {(close) => (
            <>
              <p>{leave.text}</p>
              <p>{leave.others}</p>
              {go.isError ? <ErrorNotice error={go.error} /> : null}
              <div className="flex flex-wrap gap-2">
                <Button look="action" busy={go.isPending} onPress={() => go.mutate()}>
                  {leave.delete}
                </Button>
                <Button look="plain" onPress={close}>
                  {leave.stay}
                </Button>
              </div>
            </>
          )}
        </Sheet>
      </div>
      {take.isError ? <ErrorNotice error={take.error} /> : null}
      <p role="status" className="text-sm text-yes">
        {take.isSuccess ? words.saved : ""}
      </p>
    </section>
  );
}
