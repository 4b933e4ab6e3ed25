/** Owns: the line that offers notifications to a person who has answered, if the browser can show them. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { readStored, store } from "../../../lib/device/storage.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { turnOn } from "../device.ts";
import { pushQueries } from "../queries.ts";
import { pushWords } from "../words.ts";

const KEY = "nosh.push-declined";

/** @param decided whether the plan has its time and place, so that notifications tell of changes only */
export function PushOffer({ me, decided }: { me: string; decided: boolean }) {
  const words = pushWords().offer;
  const state = useQuery(pushQueries.state(me));
  const [declined, setDeclined] = useState(() => readStored(KEY) !== null);
  const accept = useChange(() => turnOn(me), pushQueries.state(me).queryKey);
  if (accept.isSuccess) {
    return (
      <p role="status" className="border-t border-line pt-4 text-ink-soft">
        {words.on}
      </p>
    );
  }
  if (declined || (state.data !== "off" && !accept.isError)) return null;
  return (
    <section aria-label={words.name} className="flex flex-col gap-2 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="text-ink-soft max-sm:w-full">{decided ? words.changes : words.decided}</p>
        <Button busy={accept.isPending} onPress={() => accept.mutate()}>
          {words.yes}
        </Button>
        <Button
          look="plain"
          onPress={() => {
            store(KEY, new Date().toISOString());
            setDeclined(true);
          }}
        >
          {words.no}
        </Button>
      </div>
      {accept.isError ? <ErrorNotice error={accept.error} /> : null}
    </section>
  );
}
