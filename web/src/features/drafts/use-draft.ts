/** Owns: a form's draft that survives the page: kept on this device as it is typed, until it is sent. */
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { isSameDraft, mergeDraft, readDraft, storeDraft } from "./form-draft.ts";

export interface FormDraft<Draft> {
  draft: Draft;
  setDraft: (next: Draft | ((before: Draft) => Draft)) => void;
  /** It was begun before this page was opened. */
  restored: boolean;
  /** Something was typed, and is kept. */
  begun: boolean;
  /** Goes back to what the form starts from. */
  startOver: () => void;
  /** Forgets it: what it was written for is done. */
  sent: () => void;
}

/**
 * @param what names the form among those of one person
 * @param start what the form starts from; only the first one counts
 * @param repair what of a restored draft no longer holds is put right here
 */
export function useDraft<Draft extends object>(
  person: string,
  what: string,
  schema: z.ZodMiniType<Draft>,
  start: Draft,
  repair: (draft: Draft) => Draft = (draft) => draft,
): FormDraft<Draft> {
  const [initial] = useState(start);
  const [stored] = useState(() => {
    const found = readDraft(person, what, z.object({ start: schema, draft: schema }));
    const whole = found && repair(mergeDraft(initial, found.start as Draft, found.draft as Draft));
    return whole && !isSameDraft(whole, initial) ? whole : null;
  });
  const [draft, setDraft] = useState(stored ?? initial);
  const [restored, setRestored] = useState(stored !== null);
  const submitted = useRef(false);
  const begun = !isSameDraft(draft, initial);
  useEffect(() => {
    if (!submitted.current) storeDraft(person, what, begun ? { start: initial, draft } : null);
  }, [person, what, begun, initial, draft]);
  return {
    draft,
    setDraft,
    restored,
    begun,
    startOver: () => {
      setDraft(initial);
      setRestored(false);
    },
    sent: () => {
      submitted.current = true;
      storeDraft(person, what, null);
    },
  };
}
