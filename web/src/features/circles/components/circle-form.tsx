/** Owns: the form that names a circle, a new one or one that is there. */

import { useState } from "react";
import { problemWith } from "../../../lib/rules.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { circleName } from "../schema.ts";
import { circleWords } from "../words.ts";

export function CircleForm({
  initial = "",
  action,
  busy,
  error,
  submit,
}: {
  initial?: string;
  /** What the button says. */
  action: string;
  busy: boolean;
  error: unknown;
  submit: (name: string) => void;
}) {
  const words = circleWords();
  const [name, setName] = useState(initial);
  const [asked, setAsked] = useState(false);
  const problem = asked ? problemWith(circleName, name) : undefined;
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={() => {
        setAsked(true);
        const good = circleName.safeParse(name);
        if (good.success) submit(good.data);
      }}
    >
      <Field
        label={words.name}
        value={name}
        onChange={setName}
        placeholder={words.namePlaceholder}
        problem={problem}
        autoFocus
      />
      {error ? <ErrorNotice error={error} /> : null}
      <Button type="submit" look="action" busy={busy}>
        {action}
      </Button>
    </Form>
  );
}
