/** Owns: the button for suggesting another time. The form is loaded when it is opened. */
import { lazy } from "react";
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { Part } from "../../plans/components/part.tsx";
import type { Plan } from "../../plans/schema.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";

const ProposeTimeForm = lazy(async () => ({
  default: (await import("../../plans/components/propose-time-form.tsx")).ProposeTimeForm,
}));

export function ProposeTime({ plan, me }: { plan: Plan; me: string }) {
  const words = timeOptionWords().propose;
  return (
    <Sheet title={words.title} trigger={<Button className="self-start">{words.open}</Button>}>
      {(close) => (
        <Part>
          <ProposeTimeForm plan={plan} me={me} close={close} />
        </Part>
      )}
    </Sheet>
  );
}
