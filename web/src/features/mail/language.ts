/** Owns: telling the server which language this person's mails are in: the one that the app speaks with them. */
import { useEffect } from "react";
import { loadClient } from "../../lib/backend/load-client.ts";
import { language } from "../../lib/i18n/language.ts";

/** Not while the first view is on its way. */
const DELAY_MS = 5_000;

/** Says it at each start, where the server has another: the person may have used a device in another language since. */
export function useMailLanguage(me: string): void {
  useEffect(() => {
    const timer = setTimeout(async () => {
      // Where it cannot be said, the next start says it.
      const supabase = await loadClient().catch(() => null);
      const spoken = language();
      await supabase
        ?.from("private_profiles")
        .update({ language: spoken })
        .eq("id", me)
        .neq("language", spoken);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [me]);
}
