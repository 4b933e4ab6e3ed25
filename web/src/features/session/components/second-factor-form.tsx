/** Owns: the form for six digits from an authenticator app. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { signOut } from "../mutations.ts";
import { proveSecondFactor } from "../second-factor.ts";
import { sessionWords } from "../words.ts";

export function SecondFactorForm({ className, onProven }: { className: string; onProven: () => void }) {
  const words = sessionWords().secondFactor;
  const [digits, setDigits] = useState("");
  const prove = useMutation({
    mutationFn: proveSecondFactor,
    onSuccess: onProven,
    onError: () => setDigits(""),
  });
  const leave = useMutation({ mutationFn: signOut });
  const type = (next: string) => {
    setDigits(next);
    // Submits by itself after autofill or the sixth digit.
    if (/^\d{6}$/.test(next) && !prove.isPending) prove.mutate(next);
  };
  return (
    <Form className={className} submit={() => prove.mutate(digits.trim())}>
      <p className="text-ink-soft">{words.text}</p>
      <Field
        label={words.digits}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={6}
        value={digits}
        onChange={type}
        inputClassName="numerals text-xl tracking-[0.3em]"
        isRequired
      />
      {prove.isError ? <ErrorNotice error={prove.error} /> : null}
      {leave.isError ? <ErrorNotice error={leave.error} /> : null}
      <Button type="submit" look="action" busy={prove.isPending}>
        {words.enter}
      </Button>
      <Button look="plain" busy={leave.isPending} onPress={() => leave.mutate()}>
        {words.leave}
      </Button>
    </Form>
  );
}
