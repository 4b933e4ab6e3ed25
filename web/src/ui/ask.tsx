/** Owns: the confirmation before an action that cannot be undone. */
import { Button } from "./button.tsx";
import { ErrorNotice } from "./notice.tsx";
import { Sheet, type Trigger } from "./sheet.tsx";

interface AskProps {
  /** The button that asks. */
  trigger: Trigger;
  title: string;
  text: string;
  /** What the action is called. */
  action: string;
  stay: string;
  busy: boolean;
  error: unknown;
  /** Runs the action; `close` puts the question away. */
  act: (close: () => void) => void;
}

export function Ask({ trigger, title, text, action, stay, busy, error, act }: AskProps) {
  return (
    <Sheet title={title} trigger={trigger}>
      {(close) => (
        <>
          <p>{text}</p>
          {error ? <ErrorNotice error={error} /> : null}
          <div className="flex flex-wrap gap-2">
            <Button look="action" busy={busy} onPress={() => act(close)}>
              {action}
            </Button>
            <Button look="plain" onPress={close}>
              {stay}
            </Button>
          </div>
        </>
      )}
    </Sheet>
  );
}
