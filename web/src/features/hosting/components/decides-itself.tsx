/** Owns: the tick box that makes a plan decide itself at its deadline, with its explanation. */
import { Tick } from "../../../ui/fields/tick.tsx";
import { newPlanWords } from "../words.ts";

export function DecidesItself({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const words = newPlanWords().how;
  return (
    <div>
      <Tick on={on} onChange={onChange}>
        {words.decides}
      </Tick>
      <p className="pl-9 text-sm text-ink-soft">{words.decidesHelp}</p>
    </div>
  );
}
