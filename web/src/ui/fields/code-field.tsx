/** Owns: the field for the six digits of a mail or of an authenticator app. */
import type { ComponentProps } from "react";
import { Field } from "./field.tsx";

type FieldProps = ComponentProps<typeof Field>;
interface CodeFieldProps extends Pick<FieldProps, "label" | "value" | "help" | "problem" | "autoFocus"> {
  onChange: (digits: string) => void;
}

/** A pasted code may have spaces: only its digits count. */
export function CodeField({ onChange, ...props }: CodeFieldProps) {
  return (
    <Field
      {...props}
      inputMode="numeric"
      autoComplete="one-time-code"
      inputClassName="numerals text-xl tracking-[0.3em]"
      isRequired
      onChange={(text) => onChange(text.replace(/\D/g, "").slice(0, 6))}
    />
  );
}
