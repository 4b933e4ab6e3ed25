/** Owns the bar of staged changes: their SQL, and saving them as one transaction. */
import { useEffect, useState } from "react";
import type { Change, Lens } from "../../server/api.ts";
import { call, messageOf } from "../app/session.ts";
import { Alert } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";
import { nameOfLens } from "./lens.tsx";

interface ChangesBarProps {
  changes: readonly Change[];
  lens: Lens;
  onDiscard(): void;
  onSaved(): void;
}

export function ChangesBar({ changes, lens, onDiscard, onSaved }: ChangesBarProps) {
  const { answer, failure: unwritable } = useAnswer(
    "write",
    changes.length > 0 ? { as: { kind: "postgres" }, changes: [...changes], save: false } : undefined,
  );
  const [unsaved, setUnsaved] = useState<string>();
  const failure = unsaved ?? unwritable;
  const [saving, setSaving] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was refused are other changes
  useEffect(() => setUnsaved(undefined), [changes]);
  const save = async () => {
    setSaving(true);
    setUnsaved(undefined);
    try {
      await call("write", { as: lens, changes: [...changes], save: true });
      onSaved();
    } catch (error) {
      setUnsaved(messageOf(error));
    } finally {
      setSaving(false);
    }
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
      event.preventDefault();
      document.querySelector<HTMLElement>(".changes .first")?.click();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  if (changes.length === 0) return null;
  return (
    <section className="changes" aria-label="Staged changes">
      <Alert text={failure} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard */}
      <pre tabIndex={0}>{answer?.sql.join("\n")}</pre>
      <p>
        <b>{counted(changes.length, "change")}</b>
        <button type="button" onClick={onDiscard}>
          Discard
        </button>
        <button type="button" className="first" disabled={saving} onClick={() => void save()}>
          {saving ? "Saving…" : `Save as ${nameOfLens(lens)}`} <kbd>Ctrl S</kbd>
        </button>
      </p>
    </section>
  );
}
