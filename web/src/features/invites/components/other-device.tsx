/** Owns: offering a guest who has answered to open the plan on their other device, too. */
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { inviteWords } from "../words.ts";
import { PersonalLink } from "./personal-link.tsx";

export function OtherDevice() {
  const words = inviteWords().personal.offer;
  return (
    <section
      aria-label={words.name}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4"
    >
      <p className="text-ink-soft max-sm:w-full">{words.ask}</p>
      <Sheet title={words.open} trigger={<Button>{words.open}</Button>}>
        {() => <PersonalLink />}
      </Sheet>
    </section>
  );
}
