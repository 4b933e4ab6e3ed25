/** Owns editing one value: in its cell, or in a dialog where it is long or the details asked for it. */
import { type FormEvent, useId, useState } from "react";
import type { DataColumn } from "../../server/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { shortType } from "../parts/words.ts";

interface EditorProps {
  column: DataColumn;
  value: string | null;
  onDone(value: string | null): void;
  onCancel(): void;
}

/** Enter and leaving the field stage the value; Esc does not. */
export function CellEditor({ column, value, onDone, onCancel }: EditorProps) {
  const [text, setText] = useState(value ?? "");
  // A null that nobody has touched stays null.
  const staged = () => (value === null && text === "" ? null : text);
  const choices = column.values;
  if (choices)
    return (
      <select
        // biome-ignore lint/a11y/noAutofocus: the reader has opened it
        autoFocus
        aria-label={column.name}
        value={value ?? ""}
        onBlur={onCancel}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") onCancel();
        }}
        onChange={({ currentTarget }) => onDone(currentTarget.value === "" ? null : currentTarget.value)}
      >
        {(column.nullable || value === null) && <option value="">null</option>}
        {choices.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the reader has opened it
      autoFocus
      type="text"
      aria-label={column.name}
      placeholder={value === null ? "null" : ""}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onFocus={({ currentTarget }) => currentTarget.select()}
      onBlur={() => onDone(staged())}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") onDone(staged());
        if (event.key === "Escape") onCancel();
      }}
    />
  );
}

export function EditDialog({ column, value, onDone, onCancel }: EditorProps) {
  const [text, setText] = useState(value ?? "");
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onDone(text);
  };
  return (
    <Dialog title={`Edit ${column.name}`} wide onClose={onCancel}>
      <form onSubmit={submit} className="fields">
        <label htmlFor={field}>
          {column.type}
          {column.values ? (
            <select id={field} value={text} onChange={({ currentTarget }) => setText(currentTarget.value)}>
              {value === null && <option value="" />}
              {column.values.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          ) : (
            <textarea
              id={field}
              rows={text.length > 80 || text.includes("\n") ? 10 : 2}
              value={text}
              spellCheck={false}
              placeholder={value === null ? "null" : ""}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </label>
        <div className="actions">
          <button type="submit" className="first">
            Stage change
          </button>
          {column.nullable && (
            <button type="button" onClick={() => onDone(null)}>
              Set to null
            </button>
          )}
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface InsertProps {
  columns: readonly DataColumn[];
  onDone(values: Record<string, string | null>): void;
  onCancel(): void;
}

/** A new row: an empty field leaves the column to its default. */
export function InsertDialog({ columns, onDone, onCancel }: InsertProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const field = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filled = Object.entries(values).filter(([, value]) => value !== "");
    onDone(Object.fromEntries(filled.map(([name, value]) => [name, value === '""' ? "" : value])));
  };
  return (
    <Dialog title="Insert a row" wide onClose={onCancel}>
      <form onSubmit={submit} className="fields beside">
        {columns
          .filter(({ made }) => !made)
          .map(({ name, type, nullable, default: preset, values: choices }) => {
            const set = (value: string) => setValues({ ...values, [name]: value });
            const empty = preset ?? (nullable ? "null" : "needs a value");
            return (
              <label key={name} htmlFor={`${field}-${name}`}>
                <span>
                  {name} <small>{shortType(type)}</small>
                </span>
                {choices ? (
                  <select
                    id={`${field}-${name}`}
                    value={values[name] ?? ""}
                    onChange={({ currentTarget }) => set(currentTarget.value)}
                  >
                    <option value="">{empty}</option>
                    {choices.map((one) => (
                      <option key={one}>{one}</option>
                    ))}
                  </select>
                ) : (
                  <input
                    id={`${field}-${name}`}
                    value={values[name] ?? ""}
                    placeholder={empty}
                    spellCheck={false}
                    autoComplete="off"
                    required={preset === undefined && !nullable}
                    onChange={({ currentTarget }) => set(currentTarget.value)}
                  />
                )}
              </label>
            );
          })}
        <p className="note">An empty field leaves the default. "" stands for an empty text.</p>
        <div className="actions">
          <button type="submit" className="first">
            Stage row
          </button>
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
