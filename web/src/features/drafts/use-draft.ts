/** Owns: a form's draft that survives the page: kept on this device as it is typed, until it is sent. */
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { keepDraft, mergeDraft, readDraft, same } from "./form-draft.ts";

export interface KeptDraft<Draft> {
  draft: Draft;
  setDraft: (next: Draft | ((before: Draft) => Draft)) => void;
  /** It was begun before this page was opened. */
  restored: boolean;
  /** Something was typed, and is kept. */
  begun: boolean;
  /** Goes back to what the form starts from. */
  beginAnew: () => void;
  /** Forgets it: what it was written for is done. */
  sent: () => void;
}

/**
 * @param what names the form among those of one person
 * @param start what the form starts from; only the first one counts
 * @param mend what of a restored draft no longer holds is put right here
 */
export function useDraft<Draft extends object>(
  person: string,
  what: string,
  schema: z.ZodMiniType<Draft>,
  start: Draft,
  mend: (draft: Draft) => Draft = (draft) => draft,
): KeptDraft<Draft> {
  const [first] = useState(start);
  const [kept] = useState(() => {
    const found = readDraft(person, what, z.object({ start: schema, draft: schema }));
    const whole = found && mend(mergeDraft(first, found.start as Draft, found.draft as Draft));
    return whole && !same(whole, first) ? whole : null;
  });
  const [draft, setDraft] = useState(kept ?? first);
  const [restored, setRestored] = useState(kept !== null);
  const over = useRef(false);
  const begun = !same(draft, first);
  useEffect(() => {
    if (!over.current) keepDraft(person, what, begun ? { start: first, draft } : null);
  }, [person, what, begun, first, draft]);
  return {
    draft,
    setDraft,
    restored,
    begun,
    beginAnew: () => {
      setDraft(first);
      setRestored(false);
    },
    sent: () => {
      over.current = true;
      keepDraft(person, what, null);
    },
  };
}
