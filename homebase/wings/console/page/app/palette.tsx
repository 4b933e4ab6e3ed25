/** Owns the palette: one field that finds a table, a function, a user, a request or a command by name. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import type { Names } from "../../server/api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { useAnswer } from "../parts/use-answer.ts";

export interface Choice {
  /** "Table", "Command" and the like. */
  kind: string;
  name: string;
  run(): void;
}

const MOST_SHOWN = 50;
const NONE: Names = { tables: [], functions: [], users: [] };
/** An id of a request, or the beginning of one. */
const ID = /^[\da-f]{8}[\da-f-]*$/;

const NOT_FOUND = 3;

/** A name that begins with the text comes first, then one that has it, then one of a kind that has it. */
function rankOf({ kind, name }: Choice, text: string): number {
  const at = name.toLowerCase().indexOf(text);
  if (at >= 0) return Math.min(at, 1);
  return `${kind} ${name}`.toLowerCase().includes(text) ? 2 : NOT_FOUND;
}

interface PaletteProps {
  commands: readonly Choice[];
  onFilter(filter: string): void;
  onRequest(id: string): void;
  onClose(): void;
}

export function Palette({ commands, onFilter, onRequest, onClose }: PaletteProps) {
  // Commands are found without the project's names as well.
  const { answer: names = NONE } = useAnswer("names", {});
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const active = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice comes into sight
  useEffect(() => {
    active.current?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);

  const all = useMemo((): Choice[] => {
    const filters = (kind: string, word: string, ones: readonly string[]) =>
      ones.map((name): Choice => ({ kind, name, run: () => onFilter(`${word}:${name}`) }));
    return [
      ...commands,
      ...filters("Table", "table", names.tables),
      ...filters("Function", "function", names.functions),
      ...filters("User", "user", names.users),
    ];
  }, [commands, names, onFilter]);
  const text = typed.trim().toLowerCase();
  const found = [
    ...(ID.test(text) ? [{ kind: "Request", name: text, run: () => onRequest(text) }] : []),
    ...all
      .map((choice) => ({ choice, rank: rankOf(choice, text) }))
      .filter(({ rank }) => rank < NOT_FOUND)
      .sort((one, other) => one.rank - other.rank)
      .map(({ choice }) => choice),
  ].slice(0, MOST_SHOWN);
  const chosen = Math.min(at, found.length - 1);

  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setAt((chosen + step + found.length) % found.length);
    else if (event.key === "Enter") choose(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find" wide close="" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Table, function, user, request or command"
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        aria-autocomplete="list"
        placeholder="Table, function, user, request or command"
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onKeyDown={press}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setAt(0);
        }}
      />
      <div id={list} role="listbox" aria-label="Found" className="found">
        {found.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={`${choice.kind} ${choice.name}`}
            ref={index === chosen ? active : undefined}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => choose(choice)}
          >
            <span>{choice.name}</span> <small>{choice.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className="note">
          Nothing has this name.
        </p>
      )}
    </Dialog>
  );
}
