/** Owns: the screen of one circle: its members with their roles, and its plans. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ManageCircle } from "../../features/circles/components/manage-circle.tsx";
import { Members } from "../../features/circles/components/members.tsx";
import { type Circle, circleQueries } from "../../features/circles/queries.ts";
import { circleWords } from "../../features/circles/words.ts";
import { InviteSheet } from "../../features/invites/components/invite-sheet.tsx";
import { cardQueries } from "../../features/plans/cards/queries.ts";
import { useMyId } from "../../features/session/session.tsx";
import { StandingDinners } from "../../features/standing/components/standing-dinners.tsx";
import { CirclePlaces } from "../../features/table/components/circle-places.tsx";
import { MoreCards } from "../../features/table/components/more-cards.tsx";
import { PlanCard } from "../../features/table/components/plan-card.tsx";
import { useNow } from "../../lib/device/now.ts";
import { useTitle } from "../../lib/device/title.ts";
import { browserZone } from "../../lib/time.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, ErrorNotice, Loading, Skeleton } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/circles/$id");

export function CircleScreen() {
  const words = circleWords();
  const { id } = route.useParams();
  const me = useMyId();
  const circles = useQuery(circleQueries.all());
  const circle = circles.data?.find((one) => one.id === id);
  useTitle(circle?.name ?? (circles.data && words.notYours));
  if (circles.isPending) {
    return <Loading page what={words.loadingOne} shapes={["h-10 w-64", "mt-6 h-64"]} />;
  }
  if (circles.isError) return <ErrorNotice page error={circles.error} retry={() => void circles.refetch()} />;
  if (!circle) {
    return (
      <Empty page title={words.notYours}>
        <p>{words.notYoursText}</p>
        <ButtonLink to="/circles">{words.toCircles}</ButtonLink>
      </Empty>
    );
  }
  return <CirclePage circle={circle} me={me} />;
}

function CirclePage({ circle, me }: { circle: Circle; me: string }) {
  const words = circleWords();
  const now = useNow();
  const plans = useQuery(cardQueries.of(circle.id));
  const mine = circle.circle_members.find((member) => member.user_id === me)?.role ?? "member";
  const here = plans.data?.cards ?? [];
  return (
    <div className="flex flex-col gap-8">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 className="text-2xl break-words">{circle.name}</h1>
          <p className="text-ink-soft">{words.people(circle.circle_members.length)}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {mine === "member" ? null : <InviteSheet target={{ kind: "circle", id: circle.id }} />}
          <ButtonLink to="/plans/new" search={{ circle: circle.id }} look="action">
            {words.startPlan}
          </ButtonLink>
        </div>
      </header>
      <div className="page-aside">
        <div className="flex min-w-0 flex-col gap-8">
          <StandingDinners circle={circle} me={me} admin={mine !== "member"} />
          <section aria-label={words.plans} className="flex flex-col gap-3">
            <h2 className="text-lg">{words.plans}</h2>
            {plans.isPending ? (
              <Skeleton className="h-32" />
            ) : plans.data === undefined ? (
              <ErrorNotice error={plans.error} retry={() => void plans.refetch()} />
            ) : here.length === 0 ? (
              <p className="text-ink-soft">{words.noPlans}</p>
            ) : (
              <ul className="flex flex-col gap-3">
                {here.map((plan) => (
                  <li key={plan.id}>
                    <PlanCard plan={plan} now={now} viewerZone={browserZone()} />
                  </li>
                ))}
              </ul>
            )}
            <MoreCards list={plans.data} circle={circle.id} />
          </section>
        </div>
        <div className="flex flex-col gap-4">
          <CirclePlaces circle={circle.id} />
          <Members circle={circle} me={me} mine={mine} />
          {mine === "member" ? null : <ManageCircle circle={circle} owner={mine === "owner"} />}
        </div>
      </div>
    </div>
  );
}
