/** Owns: the one field in which a place is found, or added by its name alone. */
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { byNameWords } from "../words/by-name.ts";

/** As SQL: the check of places.name. */
const MOST_LETTERS = 80;

/** Whether two names are one to a reader: "PIZZERIA nonna" is "Pizzeria Nonna". */
export function isSameName(a: string, b: string): boolean {
  return a.trim().localeCompare(b.trim(), undefined, { sensitivity: "base" }) === 0;
}

export function NameField({
  value,
  onChange,
  onAdd,
  taken,
  unknown,
  look,
  busy = false,
  autoFocus = false,
  label = byNameWords().label,
}: {
  value: string;
  onChange: (value: string) => void;
  onAdd: (name: string) => void;
  /** The names on the plan, which are not added again. */
  taken: readonly string[];
  /** Whether no place is found by what was typed: Enter then adds it. Undefined while it is looked for. */
  unknown: boolean | undefined;
  look?: ComponentProps<typeof Button>["look"];
  busy?: boolean;
  autoFocus?: boolean;
  /** Where nothing is looked for. */
  label?: string;
}) {
  const words = byNameWords();
  const box = useRef<HTMLDivElement>(null);
  const name = value.trim();
  const there = taken.some((one) => isSameName(one, name));
  const add = () => {
    // The button goes with the text.
    box.current?.querySelector("input")?.focus();
    onAdd(name);
  };
  // Enter may be quicker than the search: it counts as soon as that has ended.
  const [entered, setEntered] = useState("");
  useEffect(() => {
    if (entered === "" || unknown === undefined) return;
    setEntered("");
    if (entered === name && unknown && !there && !busy) add();
  });
  return (
    <div ref={box} className="flex flex-col gap-2">
      <Field
        label={label}
        type="search"
        autoComplete="off"
        autoFocus={autoFocus}
        maxLength={MOST_LETTERS}
        value={value}
        onChange={onChange}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          // Not the form around it.
          event.preventDefault();
          setEntered(name);
        }}
      />
      {name === "" ? null : there ? (
        <p className="text-sm text-ink-soft">{words.there(name)}</p>
      ) : (
        <Button
          {...(look ? { look } : {})}
          busy={busy}
          onPress={add}
          className="max-w-full self-start py-2 [overflow-wrap:anywhere]"
        >
          {words.add(name)}
        </Button>
      )}
    </div>
  );
}
