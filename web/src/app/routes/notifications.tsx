/** Owns: the activity screen. Its entries count as read when the screen is left. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { NotificationList } from "../../features/notifications/components/notification-list.tsx";
import { markSeen } from "../../features/notifications/mutations.ts";
import { notificationQueries } from "../../features/notifications/queries.ts";
import { notificationWords } from "../../features/notifications/words.ts";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useChange } from "../../lib/change.ts";
import { useNow } from "../../lib/device/now.ts";
import { useTitle } from "../../lib/device/title.ts";
import { Button } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Empty, ErrorNotice } from "../../ui/notice.tsx";
import { appWords } from "../words.ts";

export function Notifications() {
  const words = notificationWords();
  useTitle(words.title);
  const now = useNow();
  const queries = useQueryClient();
  const list = useQuery(notificationQueries.all());
  const newest = list.data?.[0]?.created_at;
  const fresh = list.data?.some((one) => one.read_at === null) ?? false;
  const seen = useChange(markSeen, ["notifications"]);
  const shown = useRef(newest);
  useEffect(() => {
    shown.current = newest;
  }, [newest]);
  useEffect(
    // Entries stay marked as new while the screen is open, and are read when it is left.
    () => () => {
      if (!shown.current) return;
      void markSeen(shown.current)
        .then(() => queries.invalidateQueries({ queryKey: ["notifications"] }))
        // After a sign-out or without a connection the entries stay new, which does no harm.
        .catch(() => undefined);
    },
    [queries],
  );
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{words.title}</h1>
        {fresh && newest ? (
          <Button busy={seen.isPending} onPress={() => seen.mutate(newest)}>
            {words.readAll}
          </Button>
        ) : null}
      </header>
      {seen.isError ? <ErrorNotice error={seen.error} /> : null}
      <Loaded
        query={list}
        what={words.loading}
        className="flex flex-col gap-2"
        shapes={["h-18", "h-18", "h-18"]}
      >
        {(data) =>
          data.length === 0 ? (
            <Empty
              title={words.empty}
              picture={<TableDrawing seats={[]} label={appWords().emptyTable} className="w-56" />}
            >
              <p>{words.emptyText}</p>
            </Empty>
          ) : (
            <NotificationList list={data} now={now} />
          )
        }
      </Loaded>
    </div>
  );
}
