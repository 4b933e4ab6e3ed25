/** Owns: the form for six digits from an authenticator app. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { CodeField } from "../../../ui/fields/code-field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
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
    if (next.length === 6 && next !== digits && !prove.isPending) prove.mutate(next);
  };
  return (
    <Form className={className} submit={() => prove.mutate(digits)}>
      <p className="text-ink-soft">{words.text}</p>
      <CodeField label={words.digits} autoFocus value={digits} onChange={type} />
      {leave.isError ? <ErrorNotice error={leave.error} /> : null}
      <Submit of={prove}>{words.enter}</Submit>
      <Button look="plain" busy={leave.isPending} onPress={() => leave.mutate()}>
        {words.leave}
      </Button>
    </Form>
  );
}
