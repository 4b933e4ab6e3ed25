/** Owns the bar of staged changes: their SQL, and saving them as one transaction. */
import { useEffect, useState } from "react";
import type { Change, Lens } from "../../server/api.ts";
import { call, messageOf } from "../app/session.ts";
import { counted } from "../parts/words.ts";
import { nameOfLens } from "./lens.tsx";

interface ChangesBarProps {
  changes: readonly Change[];
  lens: Lens;
  onDiscard(): void;
  onSaved(): void;
}

export function ChangesBar({ changes, lens, onDiscard, onSaved }: ChangesBarProps) {
  const [sql, setSql] = useState<readonly string[]>([]);
  const [failure, setFailure] = useState<string>();
  const [saving, setSaving] = useState(false);
  useEffect(() => {
    setFailure(undefined);
    if (changes.length === 0) return;
    const asking = new AbortController();
    call("write", { as: { kind: "postgres" }, changes: [...changes], save: false }, asking.signal).then(
      (answer) => setSql(answer.sql),
      (error: unknown) => {
        if (!asking.signal.aborted) setFailure(messageOf(error));
      },
    );
    return () => asking.abort();
  }, [changes]);
  const save = async () => {
    setSaving(true);
    setFailure(undefined);
    try {
      await call("write", { as: lens, changes: [...changes], save: true });
      onSaved();
    } catch (error) {
      setFailure(messageOf(error));
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
      {failure !== undefined && (
        <p role="alert" className="mark shut">
          {failure}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard */}
      <pre tabIndex={0}>{sql.join("\n")}</pre>
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
