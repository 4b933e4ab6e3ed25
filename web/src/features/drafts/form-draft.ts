/** Owns: the stored draft of a form: its format, its expiry, and merging it with the form's current start values. */
import * as z from "zod/mini";
import { draftText, storeDraftText } from "../../lib/device/drafts.ts";

/** Older drafts are dropped. */
const MAX_AGE_MS = 30 * 86_400_000;

const envelope = z.object({ at: z.number(), draft: z.unknown() });

/**
 * The stored draft of this name; null if there is none, if it is too old, or if it does not match the schema
 * (another version of the app stored it).
 */
export function readDraft<Draft>(
  person: string,
  what: string,
  schema: z.ZodMiniType<Draft>,
  now = Date.now(),
): Draft | null {
  try {
    const stored = envelope.safeParse(JSON.parse(draftText(person, what) ?? "null"));
    if (!stored.success || now - stored.data.at > MAX_AGE_MS) return null;
    return schema.safeParse(stored.data.draft).data ?? null;
  } catch {
    return null;
  }
}

/** Stores a draft, or removes it when null. */
export function storeDraft(person: string, what: string, draft: unknown, now = Date.now()): void {
  storeDraftText(person, what, draft === null ? null : JSON.stringify({ at: now, draft }));
}

/**
 * The form's current start values with the fields that the person changed in the draft.
 * @param before the start values when the draft was typed
 */
export function mergeDraft<Draft extends object>(start: Draft, before: Draft, typed: Draft): Draft {
  const changed = Object.entries(typed).filter(
    ([field, value]) => !isSameDraft(value, (before as Record<string, unknown>)[field]),
  );
  return { ...start, ...Object.fromEntries(changed) };
}

/** Whether two drafts are equal as JSON. */
export function isSameDraft(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
