/** Owns: the screens that our mails link to, for people without an account: which mails to get, and confirming an address. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { confirmAddress, saveMailChoice } from "../../features/mail/mutations.ts";
import { type MailChoice, mailQueries } from "../../features/mail/queries.ts";
import { mailWords } from "../../features/mail/words.ts";
import { useTitle } from "../../lib/device/title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Switch } from "../../ui/fields/switch.tsx";
import { useFocusBack } from "../../ui/focus-back.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { ErrorNotice } from "../../ui/notice.tsx";

const route = getRouteApi("/mail/$token");
const confirmRoute = getRouteApi("/mail/confirm/$token");

export function MailChoiceScreen() {
  const words = mailWords().choice;
  useTitle(words.title);
  const { token } = route.useParams();
  const choice = useQuery({ ...mailQueries.choice(token), retry: false });
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-5 p-6">
      <Loaded query={choice} page what={words.loading} shapes={["h-48"]}>
        {(data) => <ChoiceForm token={token} choice={data} />}
      </Loaded>
    </main>
  );
}

/** A button, because programs that check mails for their readers follow every link. */
export function ConfirmAddressScreen() {
  const words = mailWords().confirm;
  useTitle(words.title);
  const { token } = confirmRoute.useParams();
  const confirm = useMutation({ mutationFn: () => confirmAddress(token) });
  useFocusBack(confirm.isSuccess);
  return (
    <main
      tabIndex={-1}
      className="outline-none mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-5 p-6"
    >
      <h1 className="text-xl">{words.title}</h1>
      <p className="text-ink-soft">{words.text}</p>
      {confirm.isError ? <ErrorNotice error={confirm.error} /> : null}
      {confirm.isSuccess ? null : (
        <Button
          look="action"
          className="self-start"
          busy={confirm.isPending}
          onPress={() => confirm.mutate()}
        >
          {words.go}
        </Button>
      )}
      <p role="status" className="text-yes">
        {confirm.isSuccess ? words.done : ""}
      </p>
      {confirm.isSuccess ? (
        <ButtonLink to="/plans/$id" params={{ id: confirm.data }} look="action" className="self-start">
          {words.toPlan}
        </ButtonLink>
      ) : null}
    </main>
  );
}

function ChoiceForm({ token, choice }: { token: string; choice: MailChoice }) {
  const words = mailWords();
  const [draft, setDraft] = useState({ invites: choice.invites, reminders: choice.reminders });
  const save = useMutation({
    mutationFn: (next: typeof draft) => saveMailChoice(token, next),
    onSuccess: (_nothing, next) => setDraft(next),
  });
  return (
    <>
      <h1 className="text-xl break-words">{words.choice.heading(choice.address)}</h1>
      <p className="text-ink-soft">{words.choice.text}</p>
      <div className="paper flex flex-col gap-1 px-5 py-3">
        <Switch isSelected={draft.invites} onChange={(invites) => setDraft({ ...draft, invites })}>
          {words.invites}
        </Switch>
        <Switch isSelected={draft.reminders} onChange={(reminders) => setDraft({ ...draft, reminders })}>
          {words.reminders}
        </Switch>
      </div>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button look="action" busy={save.isPending} onPress={() => save.mutate(draft)}>
          {words.choice.save}
        </Button>
        <Button
          look="plain"
          isDisabled={save.isPending}
          onPress={() => save.mutate({ invites: false, reminders: false })}
        >
          {words.choice.none}
        </Button>
      </div>
      <p role="status" className="text-yes">
        {save.isSuccess ? words.choice.saved : ""}
      </p>
      <ButtonLink to="/" look="plain" className="self-start">
        {words.choice.toNosh}
      </ButtonLink>
    </>
  );
}
