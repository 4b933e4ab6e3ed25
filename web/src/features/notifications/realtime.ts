/** Owns: hearing of new notifications while the app is open. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { supabase } from "../../lib/supabase.ts";

/** Row changes of one's own notifications; row security decides that they are one's own. */
export function useLiveNotifications(me: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries({ queryKey: ["notifications"] });
    let stopped = false;
    let stop = () => {};
    // Deferred by a turn: React mounts twice in development, and a topic can be joined once.
    const start = setTimeout(() => {
      if (stopped) return;
      const channel = supabase
        .channel(`notifications:${me}`)
        .on(
          "postgres_changes",
          { event: "*", schema: "public", table: "notifications", filter: `user_id=eq.${me}` },
          refresh,
        )
        // Row changes begin a moment after the channel is joined; what came before that is read.
        .on("system", {}, (message: { extension?: string; status?: string }) => {
          if (message.extension === "postgres_changes" && message.status === "ok") refresh();
        })
        .subscribe();
      stop = () => void supabase.removeChannel(channel);
    }, 0);
    return () => {
      stopped = true;
      clearTimeout(start);
      stop();
    };
  }, [me, queries]);
}
