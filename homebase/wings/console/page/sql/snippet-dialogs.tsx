/** Owns the dialogs of the SQL view: the history, and naming, deleting and replacing a snippet. */
import { type FormEvent, useState } from "react";
import { messageOf } from "../app/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Alert } from "../parts/pane.tsx";
import { textsRun } from "./drafts.ts";

export type SnippetQuestion = "name" | "rename" | "delete" | "changed" | "history";

interface SnippetDialogProps {
  question: SnippetQuestion;
  snippet: string;
  /** What the dialog is for; its error stays in the dialog. */
  onDone(value: string): Promise<void>;
  /** Of a file that was changed meanwhile: takes what it has now. */
  onReload(): Promise<void>;
  onClose(): void;
}

export function SnippetDialog({ question, snippet, onDone, onReload, onClose }: SnippetDialogProps) {
  const [name, setName] = useState(snippet);
  const [failure, setFailure] = useState<string>();
  const attempt = (work: Promise<void>) =>
    work.then(onClose, (error: unknown) => setFailure(messageOf(error)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(onDone(name.trim()));
  };
  if (question === "history") {
    const texts = textsRun();
    return (
      <Dialog title="History of this tab" wide onClose={onClose}>
        {texts.length === 0 && <p className="note">What you run is listed here.</p>}
        <ul className="found texts">
          {texts.map((text) => (
            <li key={text}>
              <button type="button" className="plain" onClick={() => void attempt(onDone(text))}>
                <code>{text}</code>
              </button>
            </li>
          ))}
        </ul>
        <div className="actions">
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    );
  }
  const file = `supabase/snippets/${snippet}.sql`;
  const words = {
    name: ["Save snippet", "Save"],
    rename: ["Rename snippet", "Rename"],
    delete: ["Delete snippet", "Delete snippet"],
    changed: ["The file was changed", "Replace the file"],
  } as const;
  const [title, verb] = words[question];
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        {question === "delete" && <p>{file} is deleted. This cannot be undone here.</p>}
        {question === "changed" && (
          <p>Another program has changed {file} since you opened it. Yours is not saved yet.</p>
        )}
        {(question === "name" || question === "rename") && (
          <label>
            Name, in supabase/snippets
            <input
              required
              maxLength={80}
              value={name}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget: { value } }) => setName(value)}
            />
          </label>
        )}
        <Alert text={failure} />
        <div className="actions">
          <button type="submit" className="first">
            {verb}
          </button>
          {question === "changed" && (
            <button type="button" onClick={() => void attempt(onReload())}>
              Open the file's text
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
