/** Owns: the form for objecting to a proposal, with an optional reason. */

import { useState } from "react";
import { problemWith } from "../../../lib/rules.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { vetoReason } from "../schema.ts";
import { decidingWords } from "../words.ts";

export function VetoForm({ object, close }: { object: (reason: string) => void; close: () => void }) {
  const words = decidingWords().veto;
  const [reason, setReason] = useState("");
  const problem = problemWith(vetoReason, reason);
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={() => {
        if (problem !== undefined) return;
        object(reason);
        close();
      }}
    >
      <p>{words.text}</p>
      <Field
        label={words.reason}
        value={reason}
        onChange={setReason}
        placeholder={words.reasonExample}
        problem={problem}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="action">
          {words.do}
        </Button>
        <Button onPress={close}>{words.back}</Button>
      </div>
    </Form>
  );
}
