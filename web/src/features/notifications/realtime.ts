/** Owns: hearing of new notifications while the app is open. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { whenClient } from "../../lib/backend/client.ts";

/** Row changes of the person's own notifications; row security limits them to these. */
export function useLiveNotifications(me: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = () => {
      void queries.invalidateQueries({ queryKey: ["notifications"] });
      void queries.invalidateQueries({ queryKey: ["join-requests"] });
    };
    let leave = () => {};
    const stopWaiting = whenClient((client, whenRealtime) => {
      leave = whenRealtime(() => {
        const channel = client
          .channel(`notifications:${me}`)
          .on(
            "postgres_changes",
            { event: "*", schema: "public", table: "notifications", filter: `user_id=eq.${me}` },
            refresh,
          )
          // Row changes begin a moment after the channel is joined; earlier messages are read.
          .on("system", {}, (message: { extension?: string; status?: string }) => {
            if (message.extension === "postgres_changes" && message.status === "ok") refresh();
          })
          .subscribe();
        leave = () => void client.removeChannel(channel);
      });
    });
    return () => {
      stopWaiting();
      leave();
    };
  }, [me, queries]);
}
