/** Owns: the bar above all tabs of a plan: "the table is ready", and that the viewer shares a position. */
import { useEffect, useRef } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { useFocusBack } from "../../../ui/focus-back.ts";
import { NavigationIcon, UtensilsIcon } from "../../../ui/icons.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { minutesLeft, SHARE_MINUTES } from "../position.ts";
import { useReady } from "../ready.ts";
import { extendSharing, stopSharing, useSharing } from "../sharing.ts";
import { dayWords } from "../words.ts";

export function DayBar({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const words = dayWords();
  const announce = useAnnounce();
  const ready = useReady(plan, me, now);
  const { sharing } = useSharing(plan.id);
  const wasSharing = useRef(false);
  const notice = ready.by ? words.ready.heard(firstName(plan, ready.by)) : null;
  useEffect(() => {
    if (notice) announce(notice);
  }, [notice, announce]);
  const shares = sharing !== null;
  useFocusBack(`${notice} ${shares}`);
  useEffect(() => {
    if (shares) announce(dayWords().live.started(SHARE_MINUTES));
    else if (wasSharing.current) announce(dayWords().live.ended);
    wasSharing.current = shares;
  }, [shares, announce]);
  return (
    <>
      {notice ? (
        <p className="rise flex flex-wrap items-center justify-between gap-3 rounded-m border-2 border-glow bg-card-warm p-4">
          <span className="flex items-center gap-2 font-display text-lg">
            <UtensilsIcon aria-hidden className="size-5" /> {notice}
          </span>
          <Button onPress={ready.dismiss}>{words.ready.dismiss}</Button>
        </p>
      ) : null}
      {sharing ? (
        <section
          aria-label={words.live.mine}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-m border-2 border-yes bg-card p-3 pl-4"
        >
          <p className="flex min-w-0 items-center gap-2 text-sm font-semibold">
            <NavigationIcon aria-hidden className="size-5 shrink-0 text-yes" />
            <span className="numerals">
              {sharing.at
                ? words.live.sharing(minutesLeft(sharing.until, Math.max(now, Date.now())))
                : words.live.waiting}
            </span>
          </p>
          <div className="flex flex-wrap gap-2">
            <Button onPress={extendSharing}>{words.live.extend(SHARE_MINUTES)}</Button>
            <Button onPress={stopSharing}>{words.live.stop}</Button>
          </div>
        </section>
      ) : null}
    </>
  );
}
