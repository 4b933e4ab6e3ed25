/** Owns: the draft of a whole form: what is kept of it, how long that counts, and how it meets today's start. */
import * as z from "zod/mini";
import { draftText, storeDraftText } from "../../lib/device/drafts.ts";

/** Older drafts are dropped. */
const MAX_AGE_MS = 30 * 86_400_000;

const envelope = z.object({ at: z.number(), draft: z.unknown() });

/**
 * What was kept under this name, as the schema has it; null for nothing, for what is too old, and for what another
 * version of the app has written.
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

/** Keeps a draft, or with null forgets it. */
export function storeDraft(person: string, what: string, draft: unknown, now = Date.now()): void {
  storeDraftText(person, what, draft === null ? null : JSON.stringify({ at: now, draft }));
}

/**
 * What was typed, laid over what a form starts from today: where nothing was typed, today's start stands.
 * @param before what the form started from when it was typed
 */
export function mergeDraft<Draft extends object>(start: Draft, before: Draft, typed: Draft): Draft {
  const changed = Object.entries(typed).filter(
    ([field, value]) => !isSameDraft(value, (before as Record<string, unknown>)[field]),
  );
  return { ...start, ...Object.fromEntries(changed) };
}

/** Whether two drafts say the same. They are data that was read from JSON, or could be. */
export function isSameDraft(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
