/** Owns: a choice of one of a few, each a pill. */
import { Label, Radio, RadioGroup } from "react-aria-components";

export function Pills<Value extends string>({
  title,
  value,
  options,
  help,
  onChange,
}: {
  title: string;
  /** Null while none is chosen. */
  value: Value | null;
  /** Each value with its text. */
  options: readonly (readonly [Value, string])[];
  help?: string;
  onChange: (value: Value) => void;
}) {
  return (
    <RadioGroup
      orientation="horizontal"
      value={value}
      onChange={(next) => onChange(next as Value)}
      className="flex flex-col gap-2"
    >
      <Label className="font-display text-lg">{title}</Label>
      <div className="flex flex-wrap gap-2">
        {options.map(([each, text]) => (
          <Radio
            key={each}
            value={each}
            className="grid min-h-11 cursor-pointer place-items-center rounded-l border border-edge bg-card px-5 py-1.5 break-words data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card"
          >
            {text}
          </Radio>
        ))}
      </div>
      {help ? <p className="text-sm text-ink-soft">{help}</p> : null}
    </RadioGroup>
  );
}
