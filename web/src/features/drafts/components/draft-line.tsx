/** Owns: the quiet line that says of a form that what one typed is kept on this device, and the way to begin anew. */
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
