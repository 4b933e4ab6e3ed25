/** Owns the keys of the page, and the dialog that lists them and turns single ones off (WCAG 2.1.4). */
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";

const OFF = "single-keys-off";
const LIST = [
  ["j, ↓", "Next row"],
  ["k, ↑", "Row before"],
  ["Enter", "Unfold repeats; go to the details"],
  ["Esc", "Close the details"],
  ["/", "Filter"],
  ["y", "Say why"],
  ["t", "Make a test"],
  ["r", "Send again as…"],
  ["c", "Copy as curl"],
  ["p", "Pause, resume"],
  ["x", "Clear"],
  ["⌘K, Ctrl K", "Find a table, a user, a request or a command"],
  ["Enter, F2", "In a table: edit the value"],
  ["Space", "In a table: the row's details"],
  ["n, d", "In a table: insert a row, delete one"],
  ["⌘↵, Ctrl ↵", "In SQL: run the text, or what is selected"],
  ["Ctrl S", "Save the staged changes, or the snippet"],
  ["?", "This list"],
] as const;

export interface SingleKeys {
  on: boolean;
  turn(on: boolean): void;
}

export function useSingleKeys(): SingleKeys {
  const [on, setOn] = useState(() => localStorage.getItem(OFF) === null);
  return {
    on,
    turn: (next) => {
      if (next) localStorage.removeItem(OFF);
      else localStorage.setItem(OFF, "1");
      setOn(next);
    },
  };
}

/** Calls an action for its key, except where a person types or a button takes the key. */
export function useKeys(singleKeys: boolean, actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // The field itself, also in a shadow root.
      const [target] = event.composedPath();
      const { key } = event;
      if ((event.ctrlKey || event.metaKey) && key === "k" && !document.querySelector("dialog[open]")) {
        event.preventDefault();
        current.current.find?.();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (target instanceof Element && target.matches("input, textarea, select, [contenteditable='true']"))
        return;
      if (key === "Enter" && target instanceof HTMLElement && target.closest("button, summary")) return;
      if (key.length === 1 && !singleKeys) return;
      const action = Object.hasOwn(current.current, key) ? current.current[key] : undefined;
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [singleKeys]);
}

export function KeysDialog({ singleKeys, onClose }: { singleKeys: SingleKeys; onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys-list">
        {LIST.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={singleKeys.on}
          onChange={({ currentTarget: { checked } }) => singleKeys.turn(checked)}
        />
        Use single keys
      </label>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
