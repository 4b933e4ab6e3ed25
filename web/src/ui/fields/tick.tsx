/** Owns: a checkbox with its label. */
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
    <label className="relative flex min-h-11 cursor-pointer items-center gap-3">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="peer size-6 shrink-0 cursor-pointer appearance-none rounded-s border border-edge bg-card checked:border-transparent checked:bg-ink"
      />
      <CheckIcon
        aria-hidden
        className="pointer-events-none absolute left-1 hidden size-4 text-card peer-checked:block"
      />
      <span>{children}</span>
    </label>
  );
}
