/** Owns: the tabs of the plan screen, which of them is shown, and where something waits for the reader. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type NextStep, tabWhere } from "../../../../supabase/functions/_shared/table/steps.ts";
import { Part } from "../../features/plans/components/part.tsx";
import { Tabs } from "../../features/plans/components/tabs.tsx";
import { isToday, stateOf } from "../../features/plans/domain.ts";
import type { Plan } from "../../features/plans/schema.ts";
import { type PlanTab, planTabs } from "../../features/plans/tab-props.ts";
import { waitedFor } from "../../features/plans/tally.ts";
import { nextWords } from "../../features/plans/words/next.ts";
import { planWords } from "../../features/plans/words/plan.ts";
import { WhenTab } from "../../features/time-options/components/when-tab.tsx";
import { AskOnce, BestTab, Chat, DayTab, PhotoWall, WhereTab } from "./plan-parts.tsx";

const route = getRouteApi("/seated/plans/$id");

export function PlanTabs({
  plan,
  me,
  now,
  zone,
  host,
  wide,
  shown,
  marked,
}: {
  plan: Plan;
  me: string;
  now: number;
  zone: string;
  host: boolean;
  wide: boolean;
  shown: PlanTab;
  marked: ReadonlySet<PlanTab>;
}) {
  const tabWords = planWords().tabs;
  const search = route.useSearch();
  const navigate = useNavigate();
  const ids = tabsFor(wide);
  const props = { plan, me, now, viewerZone: zone, host };
  /** After a person's first answer, or where places are chosen; the part itself asks only once. */
  const askCard = (
    <div className="my-4 empty:hidden">
      <AskOnce me={me} />
    </div>
  );
  const asks =
    stateOf(plan, now) === "polling" &&
    (shown === "where" ||
      (shown === "when" &&
        plan.time_options.some(({ time_votes }) => time_votes.some(({ user_id }) => user_id === me))));
  return (
    <Tabs
      label={planWords().parts}
      tabs={ids.map((id) => [id, tabWords[id]])}
      marks={Object.fromEntries([...marked].map((id) => [id, nextWords().mark]))}
      selected={shown}
      onSelect={(tab) => {
        if (tab === search.tab) return;
        void navigate({
          to: "/plans/$id",
          params: { id: plan.id },
          search: { tab },
          replace: true,
          resetScroll: false,
          viewTransition: false,
        });
      }}
      className={shown === "chat" ? "min-h-0 flex-1" : ""}
      panelClassName={shown === "chat" ? "paper min-h-0 flex-1 overflow-hidden" : ""}
    >
      {shown === "chat" ? null : <h2 className="sr-only">{tabWords[shown]}</h2>}
      <Part key={shown}>
        {shown === "when" ? <WhenTab {...props} /> : null}
        {/* Below the vote: nothing moves under the finger of a person who answers. */}
        {shown === "when" && asks ? askCard : null}
        {shown === "where" && asks ? askCard : null}
        {shown === "where" ? <WhereTab {...props} /> : null}
        {shown === "best" ? <BestTab {...props} /> : null}
        {shown === "chat" ? (
          <Chat planId={plan.id} me={me} members={plan.plan_members} viewerZone={zone} />
        ) : null}
        {shown === "photos" ? (
          <PhotoWall planId={plan.id} me={me} host={host} members={plan.plan_members} />
        ) : null}
        {shown === "day" ? <DayTab {...props} /> : null}
      </Part>
    </Tabs>
  );
}

/** The tab that a visitor most likely wants. */
function defaultTab(plan: Plan, now: number): PlanTab {
  if (isToday(plan, now)) return "day";
  return stateOf(plan, now) === "done" ? "photos" : "when";
}

/** The tabs where the plan waits for the reader: each open question, and the next step. */
export function markedTabs(plan: Plan, me: string, now: number, next: NextStep | null): ReadonlySet<PlanTab> {
  const open = (["times", "places"] as const).filter((question) =>
    waitedFor(plan, now, question).some((member) => member.user_id === me),
  );
  return new Set([...open, next].flatMap((step) => tabWhere(step) ?? []));
}

/** The tab that the address names, else the one that the person most likely came for. */
export function useShownTab(plan: Plan, now: number, wide: boolean): PlanTab {
  const search = route.useSearch();
  // The first value is kept: the page does not change its view at midnight.
  const [usual] = useState(() => defaultTab(plan, now));
  return search.tab && tabsFor(wide).includes(search.tab) ? search.tab : usual;
}

/** Chat stands beside the tabs on a wide screen. */
function tabsFor(wide: boolean): readonly PlanTab[] {
  return planTabs.filter((id) => !(wide && id === "chat"));
}
