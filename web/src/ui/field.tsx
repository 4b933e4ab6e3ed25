/**
 * Owns: labelled inputs. Help and what is wrong are tied to the input, so that they are read with it. The
 * browser's own inputs: the first views of who has no account need no library for a name.
 */
import { type ComponentProps, type ReactNode, useId } from "react";

export const inputLook =
  "w-full min-h-11 rounded-s border border-edge bg-card px-3 py-2 text-base text-ink placeholder:text-ink-soft " +
  "aria-invalid:border-action";

type Native = ComponentProps<"input"> & ComponentProps<"textarea">;

interface FieldProps
  extends Pick<
    Native,
    | "autoComplete"
    | "autoFocus"
    | "inputMode"
    | "maxLength"
    | "minLength"
    | "name"
    | "onBlur"
    | "onKeyDown"
    | "placeholder"
  > {
  label: string;
  value: string;
  onChange?: (value: string) => void;
  type?: ComponentProps<"input">["type"];
  min?: string;
  help?: ReactNode;
  /** What is wrong, in words; shows the field as invalid. */
  problem?: string | undefined;
  /** Several lines, this many at first. */
  lines?: number;
  inputClassName?: string;
  isRequired?: boolean;
  isReadOnly?: boolean;
  isDisabled?: boolean;
}

export function Field({
  label,
  value,
  onChange,
  type = "text",
  min,
  help,
  problem,
  lines,
  inputClassName = "",
  isRequired = false,
  isReadOnly = false,
  isDisabled = false,
  ...props
}: FieldProps) {
  const id = useId();
  const described = [help ? `${id}-help` : "", problem ? `${id}-problem` : ""].filter(Boolean).join(" ");
  const shared = {
    ...props,
    id,
    value,
    required: isRequired,
    readOnly: isReadOnly,
    disabled: isDisabled,
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
        <textarea {...shared} rows={lines} onChange={(event) => onChange?.(event.target.value)} />
      ) : (
        <input {...shared} type={type} min={min} onChange={(event) => onChange?.(event.target.value)} />
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
