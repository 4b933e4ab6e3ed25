/** Owns: account settings: keeping a guest account, password, other devices, data export, deletion. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { toAppError } from "../../../lib/errors.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { addEmail, confirmEmail, deleteAccount, exportMyData, signOutElsewhere } from "../mutations.ts";
import { useSession } from "../session.tsx";
import { sessionWords } from "../words.ts";

/**
 * @param onGone called when the account is deleted
 * @param taken renders the message to a guest whose address already has an account
 */
export function Account({ onGone, taken }: { onGone: () => void; taken: (email: string) => ReactNode }) {
  const session = useSession();
  if (!session) return null;
  return (
    <>
      {session.user.is_anonymous ? (
        <KeepYourSeat taken={taken} />
      ) : (
        <Signed email={session.user.email ?? ""} />
      )}
      <YourData id={session.user.id} onGone={onGone} />
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
  const words = sessionWords();
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [digits, setDigits] = useState("");
  const add = useMutation({ mutationFn: () => addEmail(email) });
  const hasAccount = add.isError && toAppError(add.error).code === "email_exists";
  const confirm = useMutation({
    mutationFn: () => confirmEmail(email, digits.trim()),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Form
      className="paper flex flex-col gap-4 border-l-4 border-l-glow p-5"
      submit={() => {
        if (add.isSuccess) confirm.mutate();
        else add.mutate();
      }}
    >
      <h2 className="text-lg">{words.keep.heading}</h2>
      <p className="text-ink-soft">{words.keep.text}</p>
      <Field
        label={words.email}
        type="email"
        autoComplete="email"
        value={email}
        onChange={(next) => {
          setEmail(next);
          if (add.isError) add.reset();
        }}
        isReadOnly={add.isSuccess}
        isRequired
      />
      {add.isSuccess ? (
        <>
          <p role="status">{words.keep.sent(email)}</p>
          <Field
            label={words.code.digits}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={digits}
            onChange={setDigits}
            inputClassName="numerals text-xl tracking-[0.3em]"
            isRequired
          />
        </>
      ) : null}
      {hasAccount ? taken(email) : add.isError ? <ErrorNotice error={add.error} /> : null}
      {confirm.isError ? <ErrorNotice error={confirm.error} /> : null}
      {hasAccount ? null : (
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="action" busy={add.isPending || confirm.isPending}>
            {add.isSuccess ? words.keep.confirm : words.keep.add}
          </Button>
          {add.isSuccess ? (
            <Button look="plain" onPress={() => add.reset()}>
              {words.code.otherAddress}
            </Button>
          ) : null}
        </div>
      )}
    </Form>
  );
}

function YourData({ id, onGone }: { id: string; onGone: () => void }) {
  const words = sessionWords().data;
  const take = useMutation({ mutationFn: exportMyData, onSuccess: saveFile });
  return (
    <section aria-label={words.heading} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.heading}</h2>
      <p className="text-ink-soft">{words.text}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={take.isPending} onPress={() => take.mutate()}>
          {words.take}
        </Button>
        <Sheet trigger={<Button look="plain">{words.delete}</Button>} title={words.leaveTitle}>
          {(close) => <Goodbye id={id} onGone={onGone} stay={close} />}
        </Sheet>
      </div>
      {take.isError ? <ErrorNotice error={take.error} /> : null}
      <p role="status" className="text-sm text-yes">
        {take.isSuccess ? words.saved : ""}
      </p>
    </section>
  );
}

function Goodbye({ id, onGone, stay }: { id: string; onGone: () => void; stay: () => void }) {
  const words = sessionWords().data;
  const go = useMutation({ mutationFn: () => deleteAccount(id), onSuccess: onGone });
  return (
    <>
      <p>{words.leaveText}</p>
      <p>{words.leaveOthers}</p>
      {go.isError ? <ErrorNotice error={go.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="action" busy={go.isPending} onPress={() => go.mutate()}>
          {words.delete}
        </Button>
        <Button look="plain" onPress={stay}>
          {words.stay}
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
