/** Owns: a segmented control: switches between two views of the same data. */
import { One, OneOf } from "../../../ui/fields/one-of.tsx";
import type { SelectProps } from "../../../ui/fields/select.tsx";

export function Choice<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  return (
    <OneOf
      aria-label={label}
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        const chosen = options.find(([id]) => id === key);
        if (chosen) onChange(chosen[0]);
      }}
      className="flex max-w-full overflow-hidden rounded-full border border-edge bg-card"
    >
      {options.map(([id, word]) => (
        <One
          key={id}
          id={id}
          className="min-h-9 min-w-0 cursor-pointer px-3.5 text-sm font-semibold text-ink-soft outline-offset-[-3px] transition-colors duration-150 not-first:border-l not-first:border-line hover:bg-card-warm data-[selected]:bg-ink data-[selected]:text-card"
        >
          <span className="block truncate">{word}</span>
        </One>
      ))}
    </OneOf>
  );
}
