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
  ["e", "In a table: export its rows"],
  ["n, d", "In a table or folder: insert a row or upload, delete"],
  ["⌘↵, Ctrl ↵", "In SQL: run the text, or what is selected"],
  ["Ctrl S", "Save the staged changes, or the snippet"],
  ["?", "This list"],
] as const;

const FIELD = "input, textarea, select, [contenteditable='true']";

/** As a reader of this machine knows it. */
export const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";

/**
 * Calls the action of a key: "j", or "Ctrl s" with Ctrl or ⌘, which counts in fields as well. A key without one presses the
 * button that shows it.
 */
export function useKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || document.querySelector("dialog[open]")) return;
      const held = event.ctrlKey || event.metaKey;
      if (!held && !isFree(event)) return;
      const name = held ? `Ctrl ${event.key}` : event.key;
      const action = Object.hasOwn(current.current, name) ? current.current[name] : buttonOf(name);
      // The page is not saved as a file where nothing is staged.
      if (action || name === "Ctrl s") event.preventDefault();
      if (!action) return;
      event.stopImmediatePropagation();
      action();
    };
    // Before the grid and the editor, which have their own meaning for some.
    addEventListener("keydown", press, true);
    return () => removeEventListener("keydown", press, true);
  }, []);
}

/** Whether nobody types, no button takes the key, and single keys are on. */
function isFree(event: KeyboardEvent): boolean {
  // The field itself, also in a shadow root.
  const [target] = event.composedPath();
  const takes = event.key === "Enter" ? `${FIELD}, button, summary` : FIELD;
  if (target instanceof Element && target.closest(takes)) return false;
  return event.key.length > 1 || localStorage.getItem(OFF) === null;
}

function buttonOf(key: string): (() => void) | undefined {
  const found = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  return found ? () => (found.matches("input") ? found.focus() : found.click()) : undefined;
}

export function KeysDialog({ onClose }: { onClose(): void }) {
  const [on, setOn] = useState(() => localStorage.getItem(OFF) === null);
  const turn = (next: boolean) => {
    if (next) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, "1");
    setOn(next);
  };
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
        <input type="checkbox" checked={on} onChange={({ currentTarget }) => turn(currentTarget.checked)} />
        Use single keys
      </label>
    </Dialog>
  );
}
