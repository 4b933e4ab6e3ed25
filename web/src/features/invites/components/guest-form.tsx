/** Owns: coming in with nothing but a name. */

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { problemWith } from "../../../lib/rules.ts";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem, Submit } from "../../../ui/fields/form.tsx";
import { displayName } from "../../people/schema.ts";
import { signInAsGuest } from "../../session/mutations.ts";
import { sessionWords } from "../../session/words.ts";

/**
 * @param help what the name is for
 * @param go the button's text
 * @param focused whether the field has the focus when the form appears
 * @param onIn called with the guest signed in
 */
export function GuestForm({
  help,
  go,
  focused = false,
  onIn,
  className,
}: {
  help: string;
  go: string;
  focused?: boolean;
  onIn: () => unknown;
  className: string;
}) {
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(false);
  const problem = asked ? problemWith(displayName, name) : undefined;
  const enter = useMutation({ mutationFn: () => signInAsGuest(name.trim()), onSuccess: onIn });
  return (
    <Form
      className={className}
      noValidate
      submit={(form) => {
        setAsked(true);
        if (displayName.safeParse(name).success) enter.mutate();
        else focusFirstProblem(form);
      }}
    >
      <Field
        label={sessionWords().yourName}
        help={help}
        autoComplete="name"
        autoFocus={focused}
        value={name}
        onChange={setName}
        problem={problem}
      />
      <Submit of={enter}>{go}</Submit>
    </Form>
  );
}
