/** Owns: the home screen: plans that wait for me, upcoming plans and past ones. */
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect } from "react";
import { NewsLink } from "../../features/notifications/components/news-link.tsx";
import { peopleQueries } from "../../features/people/queries.ts";
import { cardState, groupCards } from "../../features/plans/cards/card.ts";
import { cardQueries } from "../../features/plans/cards/queries.ts";
import type { Card } from "../../features/plans/cards/schema.ts";
import { tableWords } from "../../features/plans/words/table.ts";
import { useMyId } from "../../features/session/session.tsx";
import { MoreCards } from "../../features/table/components/more-cards.tsx";
import { PlanCard } from "../../features/table/components/plan-card.tsx";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useNow } from "../../lib/device/now.ts";
import { useTitle } from "../../lib/device/title.ts";
import { browserZone, partOfDay, weekdayOfPart } from "../../lib/time.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CardSkeleton, Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";
import { waitBriefly } from "../brief-wait.ts";
import { homeWords } from "../words/home-words.ts";

/** The sections; on a wide screen three columns: waiting for me, upcoming, past. */
const board = [["today", "waiting"], ["coming", "polling"], ["past"]] as const;

/** Starts the reads that the cards need. The device's stored answers are shown first; the screen then reads them again. */
export async function readHome(queries: QueryClient): Promise<void> {
  if (queries.getQueryData(cardQueries.of(null).queryKey) !== undefined) return;
  await waitBriefly(queries.prefetchQuery(cardQueries.of(null)), queries.prefetchQuery(cardQueries.unread()));
}

/** Where the page shows a snapshot of the screen (app/home-snapshot.ts), they are there already. */
let drawnBefore = document.documentElement.dataset.snapshot !== undefined;

/** Whether the people around each card's table are drawn: when the app opens, a frame after the words. */
function usePeopleDrawn(): boolean {
  useEffect(() => {
    drawnBefore = true;
  }, []);
  return useDeferredValue(true, drawnBefore);
}

export function Home() {
  const words = homeWords();
  useTitle(words.title);
  const me = useMyId();
  const now = useNow();
  const zone = browserZone();
  const profile = useQuery(peopleQueries.profile(me));
  const plans = useQuery(cardQueries.of(null));
  const unread = useQuery(cardQueries.unread());
  const cards = plans.data?.cards ?? [];
  const sorted = groupCards(cards, now);
  const peopleDrawn = usePeopleDrawn();
  const complete = plans.data && unread.data && profile.data;
  useEffect(() => {
    if (complete) import("../home-snapshot.ts").then(({ keepSnapshot }) => keepSnapshot(me)).catch(() => {});
  });
  const shared = { now, viewerZone: zone, unread: unread.data, peopleDrawn };
  return (
    <div className="flex flex-col gap-8">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div className="flex w-full items-center justify-between gap-4">
          <p data-live className="text-ink-soft">
            {words.greeting(weekdayOfPart(now, zone), partOfDay(now, zone))}
          </p>
          <NewsLink />
        </div>
        <div>
          <h1 className="text-2xl">
            {/* While the name loads, the width of a short name is reserved, so that nothing beside it moves. */}
            {profile.isPending ? "\u00a0" : (profile.data?.display_name.split(" ")[0] ?? words.heading)}
          </h1>
        </div>
        <ButtonLink to="/plans/new" look="action">
          {words.start}
        </ButtonLink>
      </header>
      {plans.isPending || arriving(unread) ? (
        <Loading what={words.loading}>
          <div className="grid gap-3 md:grid-cols-2">
            <CardSkeleton picture="size-28" />
            <CardSkeleton picture="size-28" />
            <CardSkeleton picture="size-28" />
          </div>
        </Loading>
      ) : plans.data === undefined ? (
        <ErrorNotice error={plans.error} retry={() => void plans.refetch()} />
      ) : cards.length === 0 ? (
        <Empty
          title={words.empty.title}
          picture={<TableDrawing seats={[]} label={tableWords().empty} className="w-64" />}
        >
          <p>{words.empty.text}</p>
          <ButtonLink to="/plans/new" look="action">
            {words.start}
          </ButtonLink>
        </Empty>
      ) : (
        <div className="grid gap-8 lg:auto-cols-fr lg:grid-flow-col lg:gap-5">
          {board
            .filter((column) => column.some((key) => sorted[key].length > 0))
            .map((column) => (
              <div key={column[0]} className="flex min-w-0 flex-col gap-8">
                {column.map((key) => (
                  <PlanGroup
                    key={key}
                    title={words.groups[key]}
                    whole={plans.data?.next === null}
                    plans={sorted[key]}
                    {...shared}
                  />
                ))}
              </div>
            ))}
        </div>
      )}
      <MoreCards list={plans.data} circle={null} />
    </div>
  );
}

function PlanGroup({
  title,
  plans,
  whole,
  unread,
  ...card
}: {
  title: string;
  /** Whether all plans of the group are here: only then their number is said. */
  whole: boolean;
  plans: Card[];
  unread: ReadonlyMap<string, number> | undefined;
  now: number;
  viewerZone: string;
  peopleDrawn: boolean;
}) {
  if (plans.length === 0) return null;
  const words = tableWords().card;
  return (
    <section aria-label={title}>
      <h2 className="mb-3 flex items-baseline gap-2 text-lg">
        {title}{" "}
        {whole ? <span className="numerals text-base font-normal text-ink-soft">{plans.length}</span> : null}
      </h2>
      <ul className="grid gap-3 md:grid-cols-2 lg:grid-cols-1">
        {plans.map((plan) => (
          <li key={plan.id} className="flex flex-col">
            <PlanCard plan={plan} unread={unread?.get(plan.id) ?? 0} {...card} />
            {cardState(plan, card.now) === "done" ? (
              <ButtonLink
                look="plain"
                to="/plans/new"
                search={{ again: plan.id }}
                aria-label={words.againOf(plan.title)}
                className="self-end"
              >
                <span className="text-sm">{words.again}</span>
              </ButtonLink>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whether a read is in flight (and not paused for want of a connection): the skeleton stays, so that cards do not grow. */
function arriving({ isPending, fetchStatus }: { isPending: boolean; fetchStatus: string }): boolean {
  return isPending && fetchStatus === "fetching";
}
