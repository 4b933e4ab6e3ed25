/** Owns: marking notifications as read. Throws an AppError. */

import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";

/** Marks those up to an instant, so that one that comes in this moment stays new. */
export async function markSeen(upTo: string): Promise<void> {
  orThrow(
    await supabase
      .from("notifications")
      .update({ read_at: new Date().toISOString() })
      .is("read_at", null)
      .lte("created_at", upTo),
  );
}
