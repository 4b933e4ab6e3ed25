/** Owns: a form's draft, stored on this device at every change until the form is submitted. */
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { isSameDraft, mergeDraft, readDraft, storeDraft } from "./form-draft.ts";

/**
 * @param what the form's name, unique for a person
 * @param start the form's start values; only the first ones count
 * @param repair corrects values of a restored draft that are no longer valid
 */
export function useDraft<Draft extends object>(
  person: string,
  what: string,
  schema: z.ZodMiniType<Draft>,
  start: Draft,
  repair: (draft: Draft) => Draft = (draft) => draft,
) {
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
    /** Whether the draft was stored before this page was opened. */
    restored,
    /** Whether something was typed, and is stored. */
    begun,
    /** Resets the form to its start values. */
    startOver: () => {
      setDraft(initial);
      setRestored(false);
    },
    /** Removes the draft: the form was submitted. */
    sent: () => {
      submitted.current = true;
      storeDraft(person, what, null);
    },
  };
}
