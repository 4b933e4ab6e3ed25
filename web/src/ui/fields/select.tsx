/** Owns: a choice of one among many, as the browser's own <select>, which works on every screen and keyboard. */
import { useId } from "react";
import { inputLook } from "./field.tsx";

export interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  /** Each with its word. */
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
}

export function Select<Value extends string>({ label, value, options, onChange }: SelectProps<Value>) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([each]) => each === event.target.value);
          if (chosen) onChange(chosen[0]);
        }}
        className={`${inputLook} cursor-pointer`}
      >
        {options.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}
