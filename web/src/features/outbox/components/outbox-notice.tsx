/** Owns: the notice of what waits in the outbox, of what was refused, and of the moment when all is sent. */
import { useEffect, useRef } from "react";
import { useOnline } from "../../../lib/device/online.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { outbox, useIsStuck, useOutbox } from "../device.ts";
import { waiting } from "../outbox.ts";
import { outboxWords } from "../words.ts";

/** One for each signed-in screen. Refused messages are shown in their conversation instead. */
export function OutboxNotice() {
  const words = outboxWords();
  const stuck = useIsStuck();
  // Without a connection the notice of the frame says so.
  const heldUp = useOnline() && stuck;
  const entries = useOutbox();
  useSentAnnouncement(entries.filter(waiting).length);
  const held = entries.filter((entry) => waiting(entry) && heldUp).length;
  const refused = entries.filter((entry) => entry.refused && entry.mutation.kind !== "message");
  if (held === 0 && refused.length === 0) return null;
  return (
    <section aria-label={words.label} className="sticky top-2 z-20 mb-4 flex flex-col gap-2">
      {held > 0 ? <p className="paper px-4 py-2 text-sm text-ink-soft">{words.waiting(held)}</p> : null}
      {refused.map(({ id, mutation, refused: why }) => (
        <div key={id} role="alert" className="paper flex flex-col gap-1 border-l-4 border-l-action px-4 py-3">
          <p>
            {words.refused(words.kinds[mutation.kind], why?.message ?? "")}{" "}
            <span className="text-ink-soft">{why?.hint}</span>
          </p>
          <div className="flex flex-wrap gap-1">
            <Button look="plain" onPress={() => void outbox.retry(id)}>
              {words.retry}
            </Button>
            <Button look="plain" onPress={() => void outbox.drop(id)}>
              {words.drop}
            </Button>
          </div>
        </div>
      ))}
    </section>
  );
}

/** Announces that everything is sent, after entries have waited for a connection. */
function useSentAnnouncement(count: number): void {
  const announce = useAnnounce();
  const waited = useRef(false);
  const online = useOnline();
  useEffect(() => {
    if (!online && count > 0) waited.current = true;
    if (waited.current && count === 0) {
      waited.current = false;
      announce(outboxWords().sent);
    }
  }, [online, count, announce]);
}
