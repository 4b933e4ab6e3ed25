/** Owns: unsent drafts of messages, by plan. */
import { draftText, storeDraftText } from "../../lib/device/drafts.ts";

export function readDraft(person: string, plan: string): string {
  return draftText(person, plan) ?? "";
}

export function storeDraft(person: string, plan: string, text: string): void {
  storeDraftText(person, plan, text === "" ? null : text);
}
