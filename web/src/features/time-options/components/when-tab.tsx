/**
 * Owns: the tab When: the times as a board or a list, missing answers, the zone, and the viewer's calendar.
 */

import { useMemo, useState } from "react";
import { useWide } from "../../../lib/device/wide.ts";
import { cityOf, yourTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { Empty } from "../../../ui/notice.tsx";
import { type Busy, isBusy } from "../../calendar/busy.ts";
import { useBusy } from "../../calendar/stored-busy.ts";
import { castVote } from "../../outbox/mutations.ts";
import { useVotesWait } from "../../outbox/shown-plan.ts";
import type { Ballot } from "../../plans/answers.ts";
import { Choice } from "../../plans/components/segments.tsx";
import { Waiting } from "../../plans/components/waiting.tsx";
import { isVotingClosed, stateOf } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { areHidden } from "../../plans/tally.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import { PersonFilter } from "./person-filter.tsx";
import { ProposeTime } from "./propose-time.tsx";
import { TimeBoard } from "./time-board.tsx";
import { TimeList } from "./time-list.tsx";

const BusyBar = lazyOptional(async () => (await import("../../calendar/components/busy-bar.tsx")).BusyBar);
const UsualAnswers = lazyOptional(async () => (await import("./usual-answers.tsx")).UsualAnswers);

/** The number of times from which a board is faster to answer than a list. */
const BOARD_FROM = { wide: 4, narrow: 8 } as const;

export function WhenTab({ plan, me, now, viewerZone, host }: TabProps) {
  const words = timeOptionWords();
  const announce = useAnnounce();
  const wide = useWide();
  const busy = useBusy(me);
  const [only, setOnly] = useState<string | null>(null);
  const [wantedView, setView] = useState<"board" | "list" | null>(null);
  const [wantedZone, setZone] = useState<"yours" | "table">("yours");
  const polling = stateOf(plan, now) === "polling";
  const closed = isVotingClosed(plan, now);
  const open = polling && !closed;
  const count = plan.time_options.length;
  // Decided once on arrival, so that an added or removed time does not switch the view.
  const [countAtFirst] = useState(count);
  const view = wantedView ?? (countAtFirst >= BOARD_FROM[wide ? "wide" : "narrow"] ? "board" : "list");
  const otherClock = plan.time_options.some(
    (option) => yourTime(option.starts_at, plan.time_zone, viewerZone) !== null,
  );
  const zone = otherClock && wantedZone === "yours" ? viewerZone : plan.time_zone;
  const busyOptions = useMemo(() => busyAt(plan, busy), [plan, busy]);

  const answer = (times: Ballot, spoken?: string) => {
    castVote(plan.id, { times });
    if (spoken) announce(spoken);
  };
  const shared = {
    plan,
    me,
    now,
    zone,
    open,
    host,
    hidden: areHidden(plan, me),
    only,
    busy: busyOptions,
    answer,
  };
  return (
    <div className="flex flex-col gap-4">
      {count === 0 ? (
        <Empty title={words.empty.title}>
          <p>{words.empty.text}</p>
        </Empty>
      ) : (
        <>
          {open ? (
            <UsualAnswers plan={plan} me={me} now={now} viewerZone={viewerZone} answer={answer} />
          ) : null}
          <div className="flex items-center gap-2 empty:hidden">
            {count > 1 ? (
              <Choice
                label={words.view.label}
                value={view}
                options={[
                  ["board", words.view.board],
                  ["list", words.view.list],
                ]}
                onChange={setView}
              />
            ) : null}
            {otherClock ? (
              <select
                aria-label={words.zone.label}
                value={wantedZone}
                onChange={({ target }) => setZone(target.value === "table" ? "table" : "yours")}
                className="min-h-9 max-w-72 min-w-0 flex-1 cursor-pointer rounded-full border border-edge bg-card px-3 text-sm font-semibold"
              >
                <option value="yours">{words.zone.yours(cityOf(viewerZone))}</option>
                <option value="table">{words.zone.table(cityOf(plan.time_zone))}</option>
              </select>
            ) : null}
          </div>
          {view === "board" ? <TimeBoard {...shared} /> : <TimeList {...shared} />}
          {/* What an answer changes is below the answers: nothing moves under the finger. */}
          {shared.hidden ? (
            <p className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">{words.hidden}</p>
          ) : (
            <PersonFilter plan={plan} me={me} only={only} onChange={setOnly} />
          )}
        </>
      )}
      <Waiting plan={plan} me={me} now={now} viewerZone={viewerZone} question="times" />
      <VotesWait plan={plan.id} />
      {open && count > 0 ? (
        <BusyBar
          me={me}
          fill={plan.time_options
            .filter(
              (option) =>
                busyOptions.has(option.id) &&
                Date.parse(option.starts_at) > now &&
                !option.time_votes.some((given) => given.user_id === me),
            )
            .map((option) => option.id)}
          onFill={(ids) =>
            answer(
              Object.fromEntries(ids.map((id) => [id, "no" as const])),
              words.board.set(ids.length, words.answers.no),
            )
          }
        />
      ) : null}
      {open && (host || plan.guests_may_propose) ? <ProposeTime plan={plan} me={me} /> : null}
    </div>
  );
}

/** Says that answers wait for a connection. */
function VotesWait({ plan }: { plan: string }) {
  const waits = useVotesWait(plan);
  if (!waits) return null;
  return (
    <p role="status" className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">
      {timeOptionWords().waiting}
    </p>
  );
}

function busyAt(plan: Plan, busy: readonly Busy[]): ReadonlySet<string> {
  return new Set(
    plan.time_options
      .filter((option) => isBusy(busy, option.starts_at, option.ends_at))
      .map((option) => option.id),
  );
}
