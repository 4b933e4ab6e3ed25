/** Owns: the form for objecting to a proposal, with an optional reason. */
import { useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { vetoPlan } from "../mutations.ts";
import { vetoReason } from "../schema.ts";
import { decidingWords } from "../words.ts";

export function VetoForm({ plan, close }: { plan: string; close: () => void }) {
  const words = decidingWords().veto;
  const announce = useAnnounce();
  const action = usePlanAction(plan);
  const [reason, setReason] = useState("");
  const problem = vetoReason.safeParse(reason).error?.issues[0]?.message;
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem !== undefined) return;
        action.mutate(async () => {
          await vetoPlan(plan, reason);
          // Announced here: the form is removed as soon as the plan is read again.
          announce(words.done);
          close();
        });
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
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="action" busy={action.isPending}>
          {words.do}
        </Button>
        <Button onPress={close}>{words.back}</Button>
      </div>
    </form>
  );
}
