/** Owns the dialogs of the SQL view: the history, and naming, deleting and replacing a snippet. */
import { useState } from "react";
import { Button, Field, Plain } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { Dialog, FormDialog } from "../parts/dialog.tsx";
import { useAttempt } from "../parts/use-answer.ts";
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
  const { failure, attempt } = useAttempt();
  if (question === "history") {
    const texts = textsRun();
    return (
      <Dialog title="History of this tab" wide onClose={onClose}>
        {texts.length === 0 && <p className="note">What you run is listed here.</p>}
        <ul className="found texts">
          {texts.map((text) => (
            <li key={text}>
              <Plain label={<code>{text}</code>} onClick={() => void onDone(text).then(onClose)} />
            </li>
          ))}
        </ul>
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
    <FormDialog
      title={title}
      verb={verb}
      more={
        question === "changed" && (
          <Button label="Open the file's text" onClick={() => void attempt(() => onReload().then(onClose))} />
        )
      }
      onSubmit={() => onDone(name.trim()).then(onClose)}
      onClose={onClose}
    >
      {question === "delete" && <p>{file} is deleted. This cannot be undone here.</p>}
      {question === "changed" && (
        <p>Another program has changed {file} since you opened it. Yours is not saved yet.</p>
      )}
      {(question === "name" || question === "rename") && (
        <Field label="Name, in supabase/snippets" required maxLength={80} value={name} onChange={setName} />
      )}
      <Alert text={failure} />
    </FormDialog>
  );
}
