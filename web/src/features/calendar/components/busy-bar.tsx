/**
 * Owns: comparing the person's own calendar with the times of a plan, and answering no to times that collide.
 */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import { CalendarIcon } from "../../../ui/icons.ts";
import { Loading } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { useStoredBusy } from "../stored-busy.ts";
import { calendarWords } from "../words.ts";

const CalendarForm = lazy(async () => ({ default: (await import("./calendar-form.tsx")).CalendarForm }));

export function BusyBar({
  me,
  fill,
  onFill,
}: {
  me: string;
  /** Ids of unanswered times that collide with the person's calendar. */
  fill: readonly string[];
  onFill: (ids: readonly string[]) => void;
}) {
  const words = calendarWords();
  const stored = useStoredBusy(me);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {fill.length > 0 ? (
        <>
          <Button onPress={() => onFill(fill)}>{words.fill(fill.length)}</Button>
          <p className="text-sm text-ink-soft">{words.fillHint}</p>
        </>
      ) : null}
      <Sheet
        title={words.title}
        trigger={
          <Button look="plain" className="-ml-2">
            <CalendarIcon aria-hidden className="size-4" />
            <span className="text-sm">{stored ? words.opened : words.open}</span>
          </Button>
        }
      >
        {(close) => (
          <Suspense fallback={<Loading what={words.title} shapes={["h-40"]} />}>
            <CalendarForm me={me} close={close} />
          </Suspense>
        )}
      </Sheet>
    </div>
  );
}
