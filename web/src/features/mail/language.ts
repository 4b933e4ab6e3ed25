/** Owns: telling the server which language this person's mails are in: the one that the app speaks with them. */
import { useEffect } from "react";
import { loadClient } from "../../lib/backend/load-client.ts";
import { readStored, store } from "../../lib/device/storage.ts";
import { language } from "../../lib/i18n/language.ts";

const KEY = "nosh.mail-language";
/** Not while the first view is on its way. */
const DELAY_MS = 5_000;

/** Says it once for each person and language on this device. */
export function useMailLanguage(me: string): void {
  useEffect(() => {
    const stored = `${me} ${language()}`;
    if (readStored(KEY) === stored) return;
    const timer = setTimeout(async () => {
      // Where it could not be said, the next start says it.
      const supabase = await loadClient().catch(() => null);
      if (!supabase) return;
      const { error } = await supabase.from("private_profiles").update({ language: language() }).eq("id", me);
      if (!error) store(KEY, stored);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [me]);
}
