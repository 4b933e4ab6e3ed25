/** Owns: a plan's options that are on or off, in the forms of a new plan and of an edit; "decides itself" has its own part. */
import { Tick } from "../../../ui/fields/tick.tsx";
import type { PlanEdit, PlanOption } from "../../plans/fields.ts";
import { planWords } from "../../plans/words/plan.ts";

export function OptionTicks({
  options,
  onChange,
}: {
  options: Pick<PlanEdit, PlanOption>;
  onChange: (change: Partial<Pick<PlanEdit, PlanOption>>) => void;
}) {
  const words = planWords().edit.options;
  return (Object.keys(words) as (keyof typeof words)[]).map((option) => (
    <Tick key={option} on={options[option]} onChange={(on) => onChange({ [option]: on })}>
      {words[option]}
    </Tick>
  ));
}
