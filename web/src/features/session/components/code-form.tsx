/** Owns: a form for an email address, then for the six digits mailed to it. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { sessionWords } from "../words.ts";

/**
 * `send` mails the code, `check` verifies it; `words` are the button's texts before and after the mail;
 * `sent` is shown once the mail was sent; `email` is filled in.
 */
export function CodeForm({
  send,
  check,
  onChecked,
  words,
  sent,
  className,
  email: known = "",
}: {
  send: (email: string) => Promise<void>;
  check: (email: string, code: string) => Promise<void>;
  onChecked?: () => void;
  words: { send: string; check: string };
  sent?: ReactNode;
  className: string;
  email?: string;
}) {
  const own = sessionWords();
  const [email, setEmail] = useState(known);
  const [code, setCode] = useState("");
  const sending = useMutation({ mutationFn: () => send(email) });
  const checking = useMutation({
    mutationFn: () => check(email, code.trim()),
    onSuccess: () => onChecked?.(),
  });
  return (
    <Form
      className={className}
      submit={() => {
        if (sending.isSuccess) checking.mutate();
        else sending.mutate();
      }}
    >
      <Field
        label={own.email}
        type="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        isReadOnly={sending.isSuccess}
        isRequired
      />
      {sending.isSuccess ? (
        <>
          {sent}
          <Field
            label={own.code.digits}
            help={own.code.help}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={code}
            onChange={setCode}
            inputClassName="numerals text-xl tracking-[0.3em]"
            isRequired
          />
        </>
      ) : null}
      {sending.isError ? <ErrorNotice error={sending.error} /> : null}
      {checking.isError ? <ErrorNotice error={checking.error} /> : null}
      <Button type="submit" look="action" busy={sending.isPending || checking.isPending}>
        {sending.isSuccess ? words.check : words.send}
      </Button>
      {sending.isSuccess ? (
        <Button look="plain" onPress={() => sending.reset()}>
          {own.code.otherAddress}
        </Button>
      ) : null}
    </Form>
  );
}
