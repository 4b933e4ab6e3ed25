/** Owns the keys of the page, and the dialog that lists them and turns single ones off (WCAG 2.1.4). */
import { type Ref, useEffect, useRef, useState } from "react";

const OFF = "single-keys-off";
const LIST = [
  ["j, ↓", "Next row"],
  ["k, ↑", "Row before"],
  ["Enter", "Unfold repeats; go to the details"],
  ["Esc", "Close the details"],
  ["/", "Filter"],
  ["y", "Say why"],
  ["c", "Copy as curl"],
  ["p", "Pause, resume"],
  ["x", "Clear"],
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
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (target instanceof HTMLInputElement) return;
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

export function KeysDialog({ ref, singleKeys }: { ref: Ref<HTMLDialogElement>; singleKeys: SingleKeys }) {
  return (
    <dialog ref={ref} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl>
        {LIST.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={singleKeys.on}
          onChange={({ currentTarget: { checked } }) => singleKeys.turn(checked)}
        />
        Use single keys
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
