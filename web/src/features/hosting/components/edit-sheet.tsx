/** Owns: the button and sheet for editing a plan. The form is loaded when the sheet opens. */
import { lazy } from "react";
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { Part } from "../../plans/components/part.tsx";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";

const EditForm = lazy(async () => ({ default: (await import("./edit-form.tsx")).EditForm }));

export function EditSheet({ plan, me }: { plan: Plan; me: string }) {
  const words = planWords().edit;
  return (
    <Sheet title={words.title} trigger={<Button>{words.open}</Button>}>
      {(close) => (
        <Part>
          <EditForm plan={plan} me={me} close={close} />
        </Part>
      )}
    </Sheet>
  );
}
