/** Owns the dialog in which a request becomes a test: it is shown with whether it passes, and then saved. */
import { useState } from "react";
import { call, messageOf } from "../app/session.ts";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Alert } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";

export function MadeTest({ id, onClose }: { id: string; onClose(): void }) {
  const making = useAnswer("test", { id });
  const made = making.answer;
  const [unsaved, setUnsaved] = useState<string>();
  const failure = unsaved ?? making.failure;
  const [saved, setSaved] = useState(false);
  const save = () => {
    setUnsaved(undefined);
    call("saveTest", { id }).then(
      () => setSaved(true),
      (error: unknown) => setUnsaved(messageOf(error)),
    );
  };
  return (
    <Dialog title="Make a test" wide onClose={onClose}>
      <p role="status">
        {made === undefined && failure === undefined && "Making the test, and running it in a new database…"}
        {saved && `Saved as ${made?.file}.`}
        {made &&
          !saved &&
          (made.failure === undefined ? "It passes in a new database:" : "It does not pass:")}
        {made && !saved && ` ${made.failure ?? `${made.title}.`}`}
      </p>
      {made && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard
        <pre tabIndex={0} className="source">
          {made.text}
        </pre>
      )}
      {made?.exists && !saved && <p className="note">{made.file} is there already, and stays as it is.</p>}
      <Alert text={failure} />
      <div className="actions">
        {made && made.failure === undefined && !made.exists && !saved && (
          <button type="button" className="first" onClick={save}>
            Save as {made.file}
          </button>
        )}
        {made && <Copy text={made.text} label="Copy" />}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
