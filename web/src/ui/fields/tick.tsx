/** Owns: a checkbox with its label. */
import { Checkbox } from "react-aria-components";
import { CheckIcon } from "../icons.ts";

/** A box to tick, with its sentence. */
export function Tick({
  on,
  onChange,
  children,
}: {
  on: boolean;
  onChange: (on: boolean) => void;
  children: React.ReactNode;
}) {
  return (
    <Checkbox
      isSelected={on}
      onChange={onChange}
      className="group flex min-h-11 cursor-pointer items-center gap-3"
    >
      <span className="grid size-6 shrink-0 place-items-center rounded-s border border-edge bg-card text-card group-data-[selected]:border-transparent group-data-[selected]:bg-ink">
        <CheckIcon aria-hidden className="hidden size-4 group-data-[selected]:block" />
      </span>
      <span>{children}</span>
    </Checkbox>
  );
}
