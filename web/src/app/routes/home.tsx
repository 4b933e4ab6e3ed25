/** Owns: what waits for me, what is coming, what was. */
import { useQuery } from "@tanstack/react-query";
import { peopleQueries } from "../../features/people/queries.ts";
import { PlanCard, PlanCardBones } from "../../features/plans/components/plan-card.tsx";
import { TableDrawing } from "../../features/plans/components/table-drawing.tsx";
import { shelve } from "../../features/plans/domain.ts";
import { planQueries } from "../../features/plans/queries.ts";
import type { Plan } from "../../features/plans/schema.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useNow } from "../../lib/now.ts";
import { browserZone, partOfDay, weekdayOf } from "../../lib/time.ts";
import { useTitle } from "../../lib/title.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";

/** On a wide screen a board of three columns: what wants something of me, what is ahead, what was. */
const board = [
  [
    ["today", "Today"],
    ["waiting", "Waiting for you"],
  ],
  [
    ["coming", "Coming up"],
    ["polling", "Being decided"],
  ],
  [["past", "Before"]],
] as const;

export function Home() {
  useTitle("Plans");
  const me = useMyId();
  const now = useNow();
  const zone = browserZone();
  const profile = useQuery(peopleQueries.profile(me));
  const plans = useQuery(planQueries.all());
  const sorted = shelve(plans.data ?? [], me, now);
  const guest = profile.data?.is_guest ?? false;
  return (
    <div className="flex flex-col gap-8">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <p className="text-ink-soft">{greeting(now, zone)}</p>
          <h1 className="text-2xl">{profile.data?.display_name.split(" ")[0] ?? "Your plans"}</h1>
        </div>
        {guest ? null : (
          <ButtonLink to="/plans/new" look="action">
            Start a plan
          </ButtonLink>
        )}
      </header>
      {plans.isPending ? (
        <Loading what="your plans">
          <div className="grid gap-3 md:grid-cols-2">
            <PlanCardBones />
            <PlanCardBones />
            <PlanCardBones />
          </div>
        </Loading>
      ) : plans.isError ? (
        <ErrorNotice error={plans.error} retry={() => void plans.refetch()} />
      ) : plans.data.length === 0 ? (
        <Empty
          title="An empty table is where it starts"
          picture={<TableDrawing seats={[]} label="An empty table" className="w-64" />}
        >
          {guest ? (
            <p>Open an invite link to take a seat at someone's table.</p>
          ) : (
            <>
              <p>Put up a few evenings and a few places. Your friends answer with a link and a name.</p>
              <ButtonLink to="/plans/new" look="action">
                Start a plan
              </ButtonLink>
            </>
          )}
        </Empty>
      ) : (
        <div className="grid gap-8 lg:auto-cols-fr lg:grid-flow-col lg:gap-5">
          {board
            .filter((column) => column.some(([key]) => sorted[key].length > 0))
            .map((column) => (
              <div key={column[0][0]} className="flex min-w-0 flex-col gap-8">
                {column.map(([key, title]) => (
                  <Shelf key={key} title={title} plans={sorted[key]} me={me} now={now} zone={zone} />
                ))}
              </div>
            ))}
        </div>
      )}
    </div>
  );
}

function Shelf({
  title,
  plans,
  me,
  now,
  zone,
}: {
  title: string;
  plans: Plan[];
  me: string;
  now: number;
  zone: string;
}) {
  if (plans.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="mb-3 flex items-baseline gap-2 text-lg">
        {title} <span className="numerals text-base font-normal text-ink-soft">{plans.length}</span>
      </h2>
      <ul className="grid gap-3 md:grid-cols-2 lg:grid-cols-1">
        {plans.map((plan) => (
          <li key={plan.id}>
            <PlanCard plan={plan} me={me} now={now} viewerZone={zone} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function greeting(now: number, zone: string): string {
  const part = ["night", "morning", "afternoon", "evening"][partOfDay(now, zone)];
  return `${weekdayOf(now, zone)} ${part},`;
}
