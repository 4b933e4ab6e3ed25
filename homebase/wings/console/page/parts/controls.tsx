/** Owns the controls of all views: headings, buttons with their keys, fields with their labels, filters, and choices. */
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from "react";
import { afterClick, isFocusLost } from "./focus.ts";

/** Whether a view was shown before. */
let hadView = false;

/** The heading of a view. It takes the focus where that was in the view before, which is gone. */
export function Heading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another view
  useEffect(() => {
    const second = hadView;
    hadView = true;
    return afterClick(() => second && isFocusLost() && heading.current?.focus());
  }, [children]);
  return (
    <h1 className="unseen" tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

interface ButtonProps extends ComponentProps<"button"> {
  label: ReactNode;
  /** The key that presses it (`useKeys`). */
  shortcut?: string | undefined;
}

export function Button({ label, shortcut, ...props }: ButtonProps) {
  return (
    <button type="button" data-key={shortcut} {...props}>
      {label}
      {shortcut !== undefined && " "}
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  );
}

/** A button that looks like the text beside it. */
export function Plain({ className = "", ...props }: ButtonProps) {
  return <Button className={`plain ${className}`} {...props} />;
}

interface FieldProps
  extends Pick<ComponentProps<"input">, "type" | "placeholder" | "required" | "maxLength" | "list"> {
  label: ReactNode;
  value: string;
  onChange(value: string): void;
  /** A choice instead of a text; each with its label where that differs. */
  choices?: readonly (string | readonly [value: string, text: string])[] | undefined;
  /** Of a text with several lines. */
  rows?: number | undefined;
}

export function Field({ label, value, onChange, choices, rows, ...props }: FieldProps) {
  const id = useId();
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value);
  const { placeholder, required } = props;
  return (
    <label htmlFor={id}>
      <span>{label}</span>
      {choices ? (
        <select id={id} value={value} onChange={change}>
          {choices
            .map((choice) => (typeof choice === "string" ? ([choice, choice] as const) : choice))
            .map(optionOf)}
        </select>
      ) : rows ? (
        <textarea {...{ id, value, rows, placeholder, required }} spellCheck={false} onChange={change} />
      ) : (
        <input {...{ id, value }} {...props} spellCheck={false} autoComplete="off" onChange={change} />
      )}
    </label>
  );
}

export function optionOf([value, text]: readonly [value: string, text: string]) {
  return (
    <option key={value} value={value}>
      {text}
    </option>
  );
}

interface SearchProps {
  label?: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
}

/** The filter of a list; Enter and Esc give the keys back to the list. */
export function Search({ label = "Filter", onChange, ...props }: SearchProps) {
  return (
    <input
      {...props}
      type="search"
      aria-label={label}
      data-key="/"
      spellCheck={false}
      autoComplete="off"
      onChange={({ currentTarget: { value } }) => onChange(value)}
      onKeyDown={({ key, currentTarget }) => (key === "Escape" || key === "Enter") && currentTarget.blur()}
    />
  );
}

interface EmptyProps {
  children: ReactNode;
  /** Where a filter has left nothing. */
  onClear?: (() => void) | undefined;
}

/** The text in place of a list. */
export function Empty({ children, onClear }: EmptyProps) {
  return (
    <div className="empty">
      {typeof children === "string" ? <p>{children}</p> : children}
      {onClear && <Button label="Clear the filter" onClick={onClear} />}
    </div>
  );
}

/** Content longer than its place, which the keyboard scrolls as well. */
export function Scrolled({ label, ...props }: ComponentProps<"div"> & { label: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard
  return <div role="group" aria-label={label} tabIndex={0} {...props} />;
}
