/**
 * Owns: the screen for a new password. Without a session it sends a mail with a code and a link; both give a session,
 * with which the new password is set.
 */
import { useMutation } from "@tanstack/react-query";
import { Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { CodeForm } from "../../../features/session/components/code-form.tsx";
import { NewPasswordField } from "../../../features/session/components/new-password-field.tsx";
import { savePassword, sendRecovery, verifyRecovery } from "../../../features/session/mutations.ts";
import { useSession } from "../../../features/session/session.tsx";
import { sessionWords } from "../../../features/session/words.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { Form, Submit } from "../../../ui/fields/form.tsx";

const form = "paper flex flex-col gap-4 p-5";

export function ResetPassword() {
  const words = sessionWords().reset;
  useTitle(words.title);
  const session = useSession();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      <Link to="/" className="numerals text-lg font-semibold">
        Nosh
      </Link>
      <h1 className="text-xl">{session ? words.choose : words.forgot}</h1>
      {session ? <NewPassword email={session.user.email ?? ""} /> : <AskForMail />}
      <Link
        to={session ? "/me" : "/sign-in"}
        className="self-start font-semibold text-action underline-offset-4 hover:underline"
      >
        {session ? words.keepOld : words.backToSignIn}
      </Link>
    </main>
  );
}

function AskForMail() {
  const words = sessionWords().reset;
  // A correct code gives a session, and the screen then shows the form for the password.
  return (
    <CodeForm
      className={form}
      send={sendRecovery}
      check={verifyRecovery}
      words={{ send: words.sendMail, check: words.goOn }}
      sent={() => (
        <p role="status" className="text-ink-soft">
          {words.sent}
        </p>
      )}
    />
  );
}

function NewPassword({ email }: { email: string }) {
  const words = sessionWords();
  const router = useRouter();
  const [password, setPassword] = useState("");
  const save = useMutation({
    mutationFn: () => savePassword(password),
    onSuccess: () => router.history.push("/me"),
  });
  return (
    <Form className={form} submit={() => save.mutate()}>
      <p className="text-ink-soft">{words.reset.whose(email)}</p>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <NewPasswordField label={words.newPassword} value={password} onChange={setPassword} />
      <Submit of={save}>{words.reset.save}</Submit>
    </Form>
  );
}
