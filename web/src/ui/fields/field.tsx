/**
 * Owns: labelled inputs. Help and errors are tied to the input, so that screen readers read them with it. They are
 * the browser's own inputs, so that the first views need no component library.
 */
import { type ComponentProps, type InvalidEvent, type ReactNode, useId, useState } from "react";
import { uiWords } from "../words.ts";

export const inputLook =
  "w-full min-h-11 rounded-s border border-edge bg-card px-3 py-2 text-base text-ink placeholder:text-ink-soft " +
  "aria-invalid:border-action";

type Native = ComponentProps<"input"> & ComponentProps<"textarea">;

interface FieldProps
  extends Pick<
    Native,
    "autoComplete" | "autoFocus" | "inputMode" | "maxLength" | "minLength" | "onKeyDown" | "placeholder"
  > {
  label: string;
  value: string;
  onChange?: (value: string) => void;
  type?: ComponentProps<"input">["type"];
  min?: string;
  help?: ReactNode;
  /** The error in words; marks the field as invalid. */
  problem?: string | undefined;
  /** Several lines, this many at first. */
  lines?: number;
  inputClassName?: string;
  isRequired?: boolean;
  isReadOnly?: boolean;
}

export const EmailField = (props: FieldProps) => (
  <Field type="email" autoComplete="email" isRequired {...props} />
);

/** Why the browser does not accept a value, in the app's words. */
function refusalOf({ validity, minLength }: HTMLInputElement | HTMLTextAreaElement): string {
  const words = uiWords().refused;
  if (validity.valueMissing) return words.missing;
  if (validity.tooShort) return words.short(minLength);
  if (validity.typeMismatch) return words.email;
  return words.invalid;
}

export function Field({
  label,
  value,
  onChange,
  type = "text",
  min,
  help,
  problem: given,
  lines,
  inputClassName = "",
  isRequired = false,
  isReadOnly = false,
  ...props
}: FieldProps) {
  const id = useId();
  /** What the browser refused when the form was sent, until the value changes. */
  const [refused, setRefused] = useState<string>();
  const problem = given ?? refused;
  const change = (next: string) => {
    setRefused(undefined);
    onChange?.(next);
  };
  const described = [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const shared = {
    ...props,
    id,
    value,
    required: isRequired,
    readOnly: isReadOnly,
    onInvalid: (event: InvalidEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      // The browser would say it in a bubble of its own, in its own language, and only for a moment.
      event.preventDefault();
      const field = event.currentTarget;
      setRefused(refusalOf(field));
      if (field.form?.querySelector("input:invalid, textarea:invalid") === field) field.focus();
    },
    "aria-invalid": problem !== undefined || undefined,
    "aria-describedby": described || undefined,
    className: `${inputLook} ${inputClassName}`,
  };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      {lines ? (
        <textarea {...shared} rows={lines} onChange={(event) => change(event.target.value)} />
      ) : (
        <input {...shared} type={type} min={min} onChange={(event) => change(event.target.value)} />
      )}
      {help ? (
        <div id={`${id}-help`} className="text-sm text-ink-soft">
          {help}
        </div>
      ) : null}
      {problem ? (
        <p id={`${id}-problem`} className="text-sm font-semibold text-action">
          {problem}
        </p>
      ) : null}
    </div>
  );
}
