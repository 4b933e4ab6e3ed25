/** Owns: labelled inputs. The error and the help text are tied to the input by React Aria. */
import type { ReactNode } from "react";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from "react-aria-components";

export const inputLook =
  "w-full min-h-11 rounded-s border border-edge bg-card px-3 py-2 text-base text-ink placeholder:text-ink-soft " +
  "data-[invalid]:border-action";

interface FieldProps extends Omit<AriaTextFieldProps, "className"> {
  label: string;
  help?: ReactNode;
  /** What is wrong, in words; shows the field as invalid. */
  problem?: string | undefined;
  placeholder?: string;
  lines?: number;
  inputClassName?: string;
  min?: string;
}

export function Field({
  label,
  help,
  problem,
  placeholder,
  lines,
  inputClassName = "",
  min,
  ...props
}: FieldProps) {
  return (
    <AriaTextField {...props} isInvalid={problem !== undefined} className="flex flex-col gap-1">
      <Label className="text-sm font-semibold">{label}</Label>
      {lines ? (
        <TextArea rows={lines} placeholder={placeholder} className={`${inputLook} ${inputClassName}`} />
      ) : (
        <Input placeholder={placeholder} min={min} className={`${inputLook} ${inputClassName}`} />
      )}
      {help ? (
        <Text slot="description" className="text-sm text-ink-soft">
          {help}
        </Text>
      ) : null}
      <FieldError className="text-sm font-semibold text-action">{problem}</FieldError>
    </AriaTextField>
  );
}
