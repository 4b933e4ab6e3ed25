/** Owns: the line that says that a form's draft is saved on this device, with a button to start over. */
import { Button } from "../../../ui/button.tsx";
import { draftWords } from "../words.ts";

export function DraftLine({ restored, startOver }: { restored: boolean; startOver: () => void }) {
  const words = draftWords();
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
      {restored ? words.restored : words.saved}
      <Button look="plain" onPress={startOver} className="-my-1 px-0!">
        <span className="text-sm">{words.startOver}</span>
      </Button>
    </p>
  );
}
