/** Owns: the plan screen: the table and its people, the tabs, and on a wide screen the chat beside them. */

import { type QueryClient, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { memo, useDeferredValue, useEffect, useState } from "react";
import { SharePlan } from "../../features/invites/components/share-plan.tsx";
import { useWithQueue } from "../../features/outbox/shown-plan.ts";
import { peopleQueries } from "../../features/people/queries.ts";
import { useUndo } from "../../features/plans/choices.ts";
import { NextCard } from "../../features/plans/components/next-card.tsx";
import { Part } from "../../features/plans/components/part.tsx";
import { PlanNote } from "../../features/plans/components/plan-note.tsx";
import { useDecisionTransition } from "../../features/plans/decision.ts";
import { chosenPlace, chosenTime, isHost, stateOf, stateOfMember } from "../../features/plans/domain.ts";
import { planQueries } from "../../features/plans/queries.ts";
import { PlanLive, usePlanLive } from "../../features/plans/realtime.tsx";
import type { Plan } from "../../features/plans/schema.ts";
import { nextOf, waitedFor } from "../../features/plans/tally.ts";
import { planWords } from "../../features/plans/words/plan.ts";
import { tableWords } from "../../features/plans/words/table.ts";
import { useMyId, useSession } from "../../features/session/session.tsx";
import { PeopleList } from "../../features/table/components/people-list.tsx";
import { PlanTable } from "../../features/table/components/plan-table.tsx";
import { Ticket } from "../../features/table/components/ticket.tsx";
import { useUnreached } from "../../features/table/hosts.ts";
import { useNow } from "../../lib/device/now.ts";
import { useOnline } from "../../lib/device/online.ts";
import { readStored, store } from "../../lib/device/storage.ts";
import { useTitle } from "../../lib/device/title.ts";
import { useWide } from "../../lib/device/wide.ts";
import { browserZone, formatRelative, formatTime } from "../../lib/time.ts";
import { ErrorNotice, Loading, Skeleton } from "../../ui/notice.tsx";
import { waitBriefly } from "../brief-wait.ts";
import {
  AddPlace,
  Chat,
  DayBar,
  DecisionNotice,
  FirstInvite,
  HostActions,
  InviteSheet,
  JoinRequests,
  NotificationOffer,
  OtherDevice,
  PlanLinkPart,
  RateHere,
  UndoNotice,
  useFetchedParts,
} from "../plan/plan-parts.tsx";
import { PlanTabs, useNews, useShownTab } from "../plan/plan-tabs.tsx";

const route = getRouteApi("/seated/plans/$id");

/** Starts the reads that the plan screen needs. */
export function readPlanScreen(queries: QueryClient, id: string): Promise<void> {
  return waitBriefly(queries.prefetchQuery(planQueries.one(id)));
}

export function PlanScreen() {
  const { id } = route.useParams();
  const me = useMyId();
  const plan = useQuery(planQueries.one(id));
  if (plan.isPending) return <PlanSkeleton />;
  // A failed refetch leaves the earlier data on the screen, which says that it is not live.
  if (plan.data === undefined)
    return <ErrorNotice page error={plan.error} retry={() => void plan.refetch()} />;
  if (!plan.data) return <PlanLinkPart id={id} />;
  return (
    <PlanLive key={id} plan={plan.data} me={me}>
      <PlanWithQueue plan={plan.data} me={me} read={plan.isStale ? null : plan.data.plan_channels.revision} />
    </PlanLive>
  );
}

/** An answer is painted where it was given first; the page follows, without holding up the next input. */
function PlanWithQueue({ plan, me, read }: { plan: Plan; me: string; read: number | null }) {
  return (
    <PlanPage plan={useDecisionTransition(useDeferredValue(useWithQueue(plan, me)))} me={me} read={read} />
  );
}

const PlanPage = memo(function PlanPage({
  plan,
  me,
  read,
}: {
  plan: Plan;
  me: string;
  /** As `useShownTab` takes it. */
  read: number | null;
}) {
  useTitle(plan.title);
  useFetchedParts();
  const words = planWords();
  const now = useNow();
  const wide = useWide();
  const live = usePlanLive();
  const online = useOnline();
  const session = useSession();
  const zone = browserZone();
  const state = stateOf(plan, now);
  const host = isHost(plan, me);
  const guest = session?.user.is_anonymous ?? true;
  const shown = useShownTab(plan, now, wide, read);
  /** On a phone a conversation fills the screen, so that its composer is above the fold. */
  const chatting = !wide && shown === "chat";
  // Decided once: the table does not grow under the finger of a person who votes, or objects to a proposal.
  const [voteFirst] = useState(
    () => plan.proposed_time_id !== null || waitedFor(plan, now).some(({ user_id }) => user_id === me),
  );
  const seen = useTableSeen();
  const undoable = useUndo(plan.id);
  const ratings = useQuery({ ...planQueries.ratings(), enabled: state === "done" });
  const rated = ratings.data?.some((one) => one.plan_id === plan.id && one.user_id === me) ?? true;
  const unreached = useUnreached(plan, host && (state === "polling" || state === "confirmed"));
  const news = useNews(plan.id, me, wide || shown === "chat");
  const asked = useQuery({ ...peopleQueries.startPoint(me), enabled: state === "polling" });
  const known = plan.plan_members.find((member) => member.user_id === me)?.profiles?.diets_known ?? true;
  const next = nextOf(plan, me, now, {
    rated,
    diet: !known && asked.data?.asked_at === null,
    unread: (news ?? 0) > 0,
    unreached: unreached ?? [],
  });
  /** Without a connection the device says what it knows. */
  const unknown = online && (asked.isPending || news === undefined || unreached === undefined);
  const strip = seen || voteFirst || chatting;
  // On a phone the people, and inviting beside them, are far below the vote.
  const inviteAbove = host && !wide && !chatting && state === "polling" && next !== "invite";
  // When people set out, the arrival board comes first.
  const meal = chosenTime(plan);
  const arriving =
    state === "confirmed" && shown === "day" && meal !== null && Date.parse(meal.starts_at) - HOUR_MS <= now;
  const ticket =
    !chatting && (state === "confirmed" || state === "done") ? (
      <Ticket
        plan={plan}
        me={me}
        now={now}
        viewerZone={zone}
        host={host}
        addPlace={host ? <AddPlace plan={plan} /> : null}
        share={<SharePlan plan={plan} host={host} />}
        rate={next === "rate" ? <RateHere plan={plan} me={me} /> : null}
      />
    ) : null;
  const people = (
    <>
      <PeopleList plan={plan} me={me} now={now} unreached={unreached ?? []} />
      <HostActions plan={plan} me={me} now={now} host={host} guest={guest} invite={!inviteAbove} />
    </>
  );
  return (
    <div
      // The browser would hold on to what lies below the tabs while a new tab's content arrives above it.
      style={{ overflowAnchor: "none" }}
      className={
        chatting
          ? "-mb-12 flex h-[calc(100dvh-5.5rem-env(safe-area-inset-bottom))] min-h-96 flex-col gap-3"
          : "page-whole max-lg:gap-4"
      }
    >
      <div
        className={`flex lg:sticky lg:top-5 lg:flex-col lg:items-stretch lg:gap-5 ${strip ? "flex-row-reverse items-center justify-end gap-4 max-lg:flex-wrap" : "flex-col gap-4"}`}
      >
        <header className={`flex min-w-0 flex-col gap-1 lg:order-2 ${strip ? "max-lg:flex-[1_1_8rem]" : ""}`}>
          <h1 className={`break-words ${chatting ? "line-clamp-2 text-lg lg:text-xl" : "text-xl"}`}>
            {plan.title}
          </h1>
          {plan.note && !chatting ? <PlanNote note={plan.note} /> : null}
          {plan.standing_id === null || chatting ? null : (
            <p className="text-sm text-ink-soft">{words.standing}</p>
          )}
          <p className="text-sm text-ink-soft">
            {chatting && state === "confirmed" ? (
              <Decided plan={plan} zone={zone} />
            ) : (
              stateWords(plan, me, now)
            )}
            {live.connected || !online ? null : (
              // A connection usually stands within a moment: only a longer wait is said.
              <span className="animate-[fade_150ms_2s_both]">{` · ${words.notLive}`}</span>
            )}
          </p>
          {inviteAbove ? (
            <div className="min-h-9">
              <InviteSheet look="plain" target={{ kind: "plan", id: plan.id }} byMail={!guest} />
            </div>
          ) : null}
        </header>
        <PlanTable
          plan={plan}
          me={me}
          now={now}
          present={live.present}
          className={`lg:order-1 lg:mx-auto lg:w-full lg:max-w-80 ${strip ? "w-24 shrink-0" : "mx-auto w-full max-w-52"}`}
        />
        {wide ? <div className="order-3 flex flex-col gap-5">{people}</div> : null}
      </div>
      <div className={`flex min-w-0 flex-col gap-5 ${chatting ? "min-h-0 flex-1" : ""}`}>
        {undoable ? <UndoNotice plan={plan.id} /> : null}
        <DayBar plan={plan} me={me} now={now} />
        {next === "invite" && !chatting ? (
          // With the height of its tallest state: neither loading it nor making the link moves the vote below.
          <div
            className={`grid ${guest ? "min-h-80 max-[359px]:min-h-88" : "min-h-66 max-[359px]:min-h-76"}`}
          >
            <FirstInvite plan={plan.id} />
          </div>
        ) : null}
        {(host || guest) && !chatting && (state === "polling" || state === "confirmed") ? (
          <JoinRequests plan={plan.id} />
        ) : null}
        {state === "cancelled" ? (
          <p className="paper border-l-4 border-l-no p-4">{words.cancelledNote}</p>
        ) : null}
        {!chatting && state === "polling" && hasDecisionNews(plan) ? (
          <DecisionNotice plan={plan} me={me} now={now} viewerZone={zone} host={host} />
        ) : null}
        {!chatting && next !== "invite" && state === "polling" && !hasDecisionNews(plan) ? (
          <NextCard plan={plan} me={me} now={now} host={host} step={next ?? (unknown ? undefined : null)} />
        ) : null}
        {arriving ? null : ticket}
        <PlanTabs
          plan={plan}
          me={me}
          now={now}
          zone={zone}
          host={host}
          wide={wide}
          shown={shown}
          next={next}
          news={news ?? 0}
        />
        {arriving ? ticket : null}
        {chatting ? null : (
          <NotificationOffer plan={plan} me={me} now={now} guest={guest} otherDevice={<OtherDevice />} />
        )}
        {wide || chatting ? null : (
          <section aria-label={words.theTable} className="flex flex-col gap-5 border-t border-line pt-5">
            <h2 className="text-lg">{words.atTheTable}</h2>
            {people}
          </section>
        )}
      </div>
      {wide ? (
        <aside className="paper sticky top-5 flex h-[calc(100dvh-2.5rem)] flex-col overflow-hidden">
          <h2 className="border-b border-line px-4 py-3 text-lg">{words.tabs.chat}</h2>
          <div className="min-h-0 flex-1">
            <Part>
              <Chat planId={plan.id} me={me} members={plan.plan_members} viewerZone={zone} />
            </Part>
          </div>
        </aside>
      ) : null}
    </div>
  );
});

/** In place of the ticket, which a conversation leaves no room for: when and where, leading to it. */
function Decided({ plan, zone }: { plan: Plan; zone: string }) {
  const time = chosenTime(plan);
  if (!time) return null;
  const when = formatTime(time.starts_at, plan.time_zone, zone);
  return (
    <Link
      to="/plans/$id"
      params={{ id: plan.id }}
      search={{ tab: "when" }}
      replace
      className="font-semibold text-ink underline decoration-line decoration-2 underline-offset-4 hover:decoration-action"
    >
      {[when, chosenPlace(plan)?.name ?? tableWords().placeOpen].join(", ")}
    </Link>
  );
}

/** Whether the plan has a proposal, an objection, or a reason why it was not decided. */
function hasDecisionNews(plan: Plan): boolean {
  return (
    plan.proposed_time_id !== null ||
    plan.veto_reason !== "" ||
    plan.vetoed_by !== null ||
    plan.undecided !== null
  );
}

const HOUR_MS = 3_600_000;
const SEEN_KEY = "nosh.table-seen";

/** Whether this device has shown a table before: from then on it is a strip on a phone, and the vote comes first. */
function useTableSeen(): boolean {
  const [seen] = useState(() => readStored(SEEN_KEY) !== null);
  useEffect(() => store(SEEN_KEY, "yes"), []);
  return seen;
}

function stateWords(plan: Plan, me: string, now: number): string {
  const words = planWords().states;
  switch (stateOf(plan, now)) {
    case "polling":
      if (plan.vote_deadline === null) return words.polling;
      if (plan.proposed_time_id !== null) return words.proposed;
      if (Date.parse(plan.vote_deadline) <= now)
        return plan.decides_itself && plan.undecided === null ? words.deciding : words.closed;
      return words.closes(formatRelative(plan.vote_deadline, now, plan.time_zone));
    case "confirmed":
      return words.confirmed;
    case "done":
      return plan.plan_members.some(
        (member) => member.user_id === me && stateOfMember(plan, member, now) === "was_there",
      )
        ? words.done
        : words.over;
    case "cancelled":
      return words.cancelled;
  }
}

function PlanSkeleton() {
  return (
    <Loading page what={planWords().loading}>
      <div className="page-whole">
        <div className="flex flex-col items-center gap-4">
          <Skeleton className="size-64 rounded-full" />
          <Skeleton className="h-8 w-3/4" />
        </div>
        <div className="flex flex-col gap-3">
          <Skeleton className="h-12 w-full" />
          <Skeleton className="h-36 w-full" />
          <Skeleton className="h-36 w-full" />
        </div>
      </div>
    </Loading>
  );
}
