/** Owns the dialog in which a request becomes a test: it is shown with whether it passes, and then saved. */
import { useState } from "react";
import { call } from "../app/way-in.ts";
import { Button, Scrolled } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useAnswer, useAttempt } from "../parts/use-answer.ts";

export function MadeTest({ id, onClose }: { id: string; onClose(): void }) {
  const { answer: made, failure: unmade } = useAnswer("test", { id });
  const { failure = unmade, attempt } = useAttempt();
  const [saved, setSaved] = useState(false);
  const save = () => attempt(() => call("saveTest", { id }).then(() => setSaved(true)));
  const passes = made && made.failure === undefined;
  const said = passes ? `It passes in a new database: ${made.title}.` : `It does not pass: ${made?.failure}`;
  return (
    <Dialog
      title="Make a test"
      wide
      onClose={onClose}
      actions={
        <>
          {passes && !made.exists && !saved && (
            <Button label={`Save as ${made.file}`} className="first" onClick={() => void save()} />
          )}
          {made && <Copy text={made.text} label="Copy" />}
        </>
      }
    >
      <p role="status">
        {!made && failure === undefined && "Making the test, and running it in a new database…"}
        {made && (saved ? `Saved as ${made.file}.` : said)}
      </p>
      {made && (
        <Scrolled className="source" label="The test">
          <pre>{made.text}</pre>
        </Scrolled>
      )}
      {made?.exists && !saved && <p className="note">{made.file} is there already, and stays as it is.</p>}
      <Alert text={failure} />
    </Dialog>
  );
}
