/** Owns: hearing of new notifications while the app is open. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { supabase, whenRealtime } from "../../lib/backend/supabase.ts";

/** Row changes of the person's own notifications; row security limits them to these. */
export function useLiveNotifications(me: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries({ queryKey: ["notifications"] });
    let leave = () => {};
    const stop = whenRealtime(() => {
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
      leave = () => void supabase.removeChannel(channel);
    });
    return () => {
      stop();
      leave();
    };
  }, [me, queries]);
}
