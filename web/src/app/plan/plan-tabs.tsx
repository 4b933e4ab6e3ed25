/** Owns: the tabs of the plan screen, which of them is shown, and where something waits for the reader. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type NextStep, tabWhere } from "../../../../supabase/functions/_shared/table/steps.ts";
import { cardQueries } from "../../features/plans/cards/queries.ts";
import { Part } from "../../features/plans/components/part.tsx";
import { Tabs } from "../../features/plans/components/tabs.tsx";
import { isToday, stateOf } from "../../features/plans/domain.ts";
import { useOpenTab } from "../../features/plans/open-tab.ts";
import { usePlanLive } from "../../features/plans/realtime.tsx";
import type { Plan } from "../../features/plans/schema.ts";
import { type PlanTab, planTabs } from "../../features/plans/tab-props.ts";
import { waitedFor } from "../../features/plans/tally.ts";
import { nextWords } from "../../features/plans/words/next.ts";
import { planWords } from "../../features/plans/words/plan.ts";
import { tableWords } from "../../features/plans/words/table.ts";
import { WhenTab } from "../../features/time-options/components/when-tab.tsx";
import { useAnnounce } from "../../ui/announcer.tsx";
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
  next,
  news,
}: {
  plan: Plan;
  me: string;
  now: number;
  zone: string;
  host: boolean;
  wide: boolean;
  shown: PlanTab;
  next: NextStep | null;
  /** The number of messages that are new to the reader. */
  news: number;
}) {
  const tabWords = planWords().tabs;
  const search = route.useSearch();
  const openTab = useOpenTab(plan.id);
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
      next === "diet" ||
      (shown === "when" &&
        plan.time_options.some(({ time_votes }) => time_votes.some(({ user_id }) => user_id === me))));
  return (
    <Tabs
      label={planWords().parts}
      tabs={ids.map((id) => [id, tabWords[id]])}
      marks={{
        ...Object.fromEntries(
          [...markedTabs(plan, me, now, next)].map((id) => [id, { text: nextWords().mark }]),
        ),
        ...(news > 0 ? { chat: { text: tableWords().card.unread(news), count: news } } : {}),
      }}
      selected={shown}
      onSelect={(tab) => {
        if (tab !== search.tab) void openTab(tab);
      }}
      className={shown === "chat" ? "min-h-0 flex-1" : ""}
      panelClassName={shown === "chat" ? "paper min-h-0 flex-1 overflow-hidden" : ""}
    >
      {shown === "chat" ? null : <h2 className="sr-only">{tabWords[shown]}</h2>}
      <Part key={shown}>
        {shown === "when" ? <WhenTab {...props} /> : null}
        {shown === "where" ? <WhereTab {...props} /> : null}
        {/* Below the vote: nothing moves under the finger of a person who answers. */}
        {asks ? askCard : null}
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

/**
 * The number of messages that are new to the reader: zero while the conversation is on the screen, undefined until it is
 * known.
 */
export function useNews(plan: string, me: string, reading: boolean): number | undefined {
  const queries = useQueryClient();
  const { listen } = usePlanLive();
  const announce = useAnnounce();
  const unread = useQuery({ ...cardQueries.unread(), enabled: !reading });
  const at = unread.dataUpdatedAt;
  /** Those heard of since the count was read, which was `at`. */
  const [heard, setHeard] = useState({ at, count: 0 });
  useEffect(
    () =>
      reading
        ? undefined
        : listen(
            ({ table, operation, record }) => {
              if (table !== "messages" || operation !== "INSERT" || record?.author_id === me) return;
              setHeard((before) => ({ at, count: before.at === at ? before.count + 1 : 1 }));
              announce(tableWords().card.unread(1));
              // Nobody else hears of it, and the conversation would open without it.
              void queries.invalidateQueries({ queryKey: ["messages", plan] });
            },
            () => undefined,
          ),
    [reading, at, plan, queries, listen, me, announce],
  );
  if (reading) return 0;
  if (unread.isPending) return undefined;
  return (unread.data?.get(plan) ?? 0) + (heard.at === at ? heard.count : 0);
}

/** The tab that a visitor most likely wants. */
function defaultTab(plan: Plan, now: number): PlanTab {
  if (isToday(plan, now)) return "day";
  return stateOf(plan, now) === "done" ? "photos" : "when";
}

/** The tabs where the plan waits for the reader: each open question, and the next step. */
function markedTabs(plan: Plan, me: string, now: number, next: NextStep | null): ReadonlySet<PlanTab> {
  const open = (["times", "places"] as const).filter((question) =>
    waitedFor(plan, now, question).some((member) => member.user_id === me),
  );
  return new Set([...open, next].flatMap((step) => tabWhere(step) ?? []));
}

/**
 * The tab that the address names, else the one that the person most likely came for.
 * @param read the revision of the plan as the server has it; null while only the device's copy is known
 */
export function useShownTab(plan: Plan, now: number, wide: boolean, read: number | null): PlanTab {
  const search = route.useSearch();
  const known = read !== null && plan.plan_channels.revision >= read;
  // The first value of a plan that was read is kept: the page does not change its view at midnight.
  const [usual, setUsual] = useState(() => ({ tab: defaultTab(plan, now), known }));
  if (known && !usual.known) setUsual({ tab: defaultTab(plan, now), known });
  return search.tab && tabsFor(wide).includes(search.tab) ? search.tab : usual.tab;
}

/** Chat stands beside the tabs on a wide screen. */
function tabsFor(wide: boolean): readonly PlanTab[] {
  return planTabs.filter((id) => !(wide && id === "chat"));
}
