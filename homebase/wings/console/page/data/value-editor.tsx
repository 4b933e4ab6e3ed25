/** Owns editing one value: in its cell, or in a dialog where it is long or the details asked for it. */
import { useState } from "react";
import type { DataColumn } from "../../server/api.ts";
import { Button, Field, optionOf } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialog.tsx";
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
        {choices.map((one) => optionOf([one, one]))}
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
  const { values } = column;
  return (
    <FormDialog
      title={`Edit ${column.name}`}
      wide
      verb="Stage change"
      more={column.nullable && <Button label="Set to null" onClick={() => onDone(null)} />}
      onSubmit={() => onDone(text)}
      onClose={onCancel}
    >
      <Field
        label={column.type}
        value={text}
        placeholder={value === null ? "null" : ""}
        choices={values && (value === null ? ["", ...values] : values)}
        rows={text.length > 80 || text.includes("\n") ? 10 : 2}
        onChange={setText}
      />
    </FormDialog>
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
  const submit = () => {
    const filled = Object.entries(values).filter(([, value]) => value !== "");
    onDone(Object.fromEntries(filled.map(([name, value]) => [name, value === '""' ? "" : value])));
  };
  return (
    <FormDialog title="Insert a row" wide beside verb="Stage row" onSubmit={submit} onClose={onCancel}>
      {columns
        .filter(({ made }) => !made)
        .map(({ name, type, nullable, default: preset, values: choices }) => {
          const empty = preset ?? (nullable ? "null" : "needs a value");
          return (
            <Field
              key={name}
              label={
                <>
                  {name} <small>{shortType(type)}</small>
                </>
              }
              value={values[name] ?? ""}
              placeholder={empty}
              choices={choices && [["", empty], ...choices]}
              required={preset === undefined && !nullable}
              onChange={(value) => setValues({ ...values, [name]: value })}
            />
          );
        })}
      <p className="note">An empty field leaves the default. "" stands for an empty text.</p>
    </FormDialog>
  );
}
