/** Owns: the tab On the day: the arrival board before and during the meal, rating it afterwards. */
import { formatTime } from "../../../lib/time.ts";
import { Empty } from "../../../ui/notice.tsx";
import { chosenTime, isToday, stateOf } from "../../plans/domain.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { dayWords } from "../words.ts";
import { DayPanel } from "./day-panel.tsx";
import { RatePanel } from "./rate-panel.tsx";

export function DayTab({ plan, me, now, viewerZone, host }: TabProps) {
  const words = dayWords();
  const state = stateOf(plan, now);
  const time = chosenTime(plan);
  if (state === "done") return <RatePanel plan={plan} me={me} now={now} />;
  if (state !== "confirmed" || !time) {
    return (
      <Empty title={words.undecided.title}>
        <p>{words.undecided.text}</p>
      </Empty>
    );
  }
  if (!isToday(plan, now)) {
    return (
      <Empty title={words.early.title}>
        <p>{words.early.text(formatTime(time.starts_at, plan.time_zone, viewerZone))}</p>
      </Empty>
    );
  }
  return <DayPanel plan={plan} me={me} now={now} host={host} />;
}
