/** Owns the bar of staged changes: their SQL, and saving them as one transaction. */
import type { Change, Lens } from "../../server/api.ts";
import { MODIFIER, useKeys } from "../app/keys.tsx";
import { call } from "../app/way-in.ts";
import { Button, Scrolled } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { focusView } from "../parts/focus.ts";
import { useAnswer, useAttempt } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";
import { nameOfLens } from "./lens-choice.tsx";

interface ChangesBarProps {
  changes: readonly Change[];
  lens: Lens;
  onDiscard(): void;
  onSaved(): void;
}

/** Nothing where nothing is staged. An error is about these changes: others are another bar. */
export function ChangesBar(props: ChangesBarProps) {
  return props.changes.length === 0 ? null : <Bar key={JSON.stringify(props.changes)} {...props} />;
}

function Bar({ changes, lens, onDiscard, onSaved }: ChangesBarProps) {
  const ask = { as: { kind: "postgres" } as const, changes: [...changes], save: false };
  const { answer, failure: unwritable } = useAnswer("write", ask);
  const { failure = unwritable, busy, attempt } = useAttempt();
  const save = () => {
    // The bar goes, and with it the button that has the focus.
    focusView();
    return attempt(() => call("write", { ...ask, as: lens, save: true }).then(onSaved));
  };
  useKeys({ "Ctrl s": () => busy || save() });
  return (
    <section className="changes" aria-label="Staged changes">
      <Alert text={failure} />
      <Scrolled label="SQL">
        <pre>{answer?.sql.join("\n")}</pre>
      </Scrolled>
      <p className="links">
        <b>{counted(changes.length, "change")}</b>
        <Button
          label="Discard"
          onClick={() => {
            focusView();
            onDiscard();
          }}
        />
        <Button
          label={busy ? "Saving…" : `Save as ${nameOfLens(lens)}`}
          shortcut={`${MODIFIER}S`}
          className="first"
          disabled={busy}
          onClick={() => void save()}
        />
      </p>
    </section>
  );
}
