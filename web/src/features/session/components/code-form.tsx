/** Owns: a form for an email address, then for the six digits mailed to it. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { toAppError } from "../../../lib/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { CodeField } from "../../../ui/fields/code-field.tsx";
import { EmailField } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { sessionWords } from "../words.ts";

/**
 * `send` mails the code, `check` verifies it; `words` are the button's texts before and after the mail;
 * `above` is shown first, `sent` once the mail was sent; `email` is filled in. `refusal` may show another answer than
 * the error with this code if the mail was not sent.
 */
export function CodeForm({
  send,
  check,
  onChecked,
  words,
  above,
  sent,
  refusal,
  className,
  email: known = "",
}: {
  send: (email: string) => Promise<void>;
  check: (email: string, code: string) => Promise<void>;
  onChecked?: () => unknown;
  words: { send: string; check: string };
  above?: ReactNode;
  sent?: (email: string) => ReactNode;
  refusal?: (code: string, email: string) => ReactNode;
  className: string;
  email?: string;
}) {
  const own = sessionWords();
  const [email, setEmail] = useState(known);
  const [code, setCode] = useState("");
  const sending = useMutation({ mutationFn: () => send(email) });
  const checking = useMutation({ mutationFn: () => check(email, code), onSuccess: () => onChecked?.() });
  const refused = sending.isError ? refusal?.(toAppError(sending.error).code, email) : null;
  const error = sending.error ?? checking.error;
  return (
    <Form
      className={className}
      submit={() => {
        if (sending.isSuccess) checking.mutate();
        else sending.mutate();
      }}
    >
      {above}
      <EmailField
        label={own.email}
        value={email}
        onChange={(next) => {
          setEmail(next);
          if (sending.isError) sending.reset();
        }}
        isReadOnly={sending.isSuccess}
      />
      {sending.isSuccess ? (
        <>
          {sent?.(email)}
          <CodeField label={own.code.digits} help={own.code.help} value={code} onChange={setCode} />
        </>
      ) : null}
      {refused ?? (
        <>
          {error ? <ErrorNotice error={error} /> : null}
          <div className={above ? "flex flex-wrap gap-2" : "contents"}>
            <Button type="submit" look="action" busy={sending.isPending || checking.isPending}>
              {sending.isSuccess ? words.check : words.send}
            </Button>
            {sending.isSuccess ? (
              <Button
                look="plain"
                onPress={() => {
                  sending.reset();
                  checking.reset();
                  setCode("");
                }}
              >
                {own.code.otherAddress}
              </Button>
            ) : null}
          </div>
        </>
      )}
    </Form>
  );
}
