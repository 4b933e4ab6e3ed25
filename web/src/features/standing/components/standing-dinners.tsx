/** Owns: the list of a circle's standing dinners, with the next day and its host, and the admins' actions. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { dayOf, instantOf, weekdayOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import type { Circle } from "../../circles/queries.ts";
import { formatClock } from "../../places/hours.ts";
import { pauseStanding, type StandingDinner, skipStanding, standingQueries } from "../queries.ts";
import { standingWords } from "../words.ts";
import { StandingForm } from "./standing-form.tsx";

export function StandingDinners({ circle, me, admin }: { circle: Circle; me: string; admin: boolean }) {
  const words = standingWords();
  const dinners = useQuery(standingQueries.of(circle.id));
  if (dinners.isPending) return <Skeleton className="h-24" />;
  if (dinners.data === undefined)
    return <ErrorNotice error={dinners.error} retry={() => void dinners.refetch()} />;
  if (dinners.data.length === 0 && !admin) return null;
  return (
    <section aria-label={words.title} className="flex flex-col gap-3">
      <h2 className="text-lg">{words.title}</h2>
      {dinners.data.length === 0 ? <p className="text-ink-soft">{words.none}</p> : null}
      <ul className="flex flex-col gap-3 empty:hidden">
        {dinners.data.map((dinner) => (
          <li key={dinner.id}>
            <Dinner dinner={dinner} circle={circle} me={me} admin={admin} />
          </li>
        ))}
      </ul>
      {admin ? (
        <div>
          <Sheet title={words.form.addTitle} trigger={<Button>{words.add}</Button>}>
            {(close) => <StandingForm circle={circle.id} dinner={null} close={close} />}
          </Sheet>
        </div>
      ) : null}
    </section>
  );
}

function Dinner({
  dinner,
  circle,
  me,
  admin,
}: {
  dinner: StandingDinner;
  circle: Circle;
  me: string;
  admin: boolean;
}) {
  const words = standingWords();
  const announce = useAnnounce();
  const action = useChange((change: () => Promise<void>) => change(), standingQueries.of(circle.id).queryKey);
  const next = instantOf(dinner.next_on, dinner.starts_at.slice(0, 5), dinner.time_zone);
  const day = dayOf(next, dinner.time_zone);
  const host = circle.circle_members.find((member) => member.user_id === dinner.next_host);
  const nextLine =
    dinner.next_host === me
      ? words.nextYours(day)
      : words.next(day, host?.profiles?.display_name.split(" ")[0] ?? "");
  return (
    <article className="paper flex flex-col gap-1 p-4">
      <h3 className="font-display text-lg leading-tight break-words">{dinner.title}</h3>
      <p className="text-ink-soft">{rhythmText(dinner)}</p>
      <p className="numerals font-semibold">{dinner.paused ? words.paused : nextLine}</p>
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      {admin ? (
        <div className="mt-2 flex flex-wrap gap-2">
          {dinner.paused ? null : (
            <Button
              busy={action.isPending}
              aria-label={words.skipOf(dinner.title, day)}
              onPress={() =>
                action.mutate(async () => {
                  await skipStanding(dinner.id, dinner.next_on);
                  announce(words.skipped);
                })
              }
            >
              {words.skip}
            </Button>
          )}
          <Button
            isDisabled={action.isPending}
            onPress={() => action.mutate(() => pauseStanding(dinner.id, !dinner.paused))}
          >
            {dinner.paused ? words.resume : words.pause}
          </Button>
          <Sheet
            title={words.form.changeTitle}
            trigger={
              <Button look="plain" aria-label={words.changeOf(dinner.title)}>
                {words.change}
              </Button>
            }
          >
            {(close) => <StandingForm circle={circle.id} dinner={dinner} close={close} />}
          </Sheet>
        </div>
      ) : null}
    </article>
  );
}

function rhythmText(dinner: StandingDinner): string {
  const words = standingWords();
  const weekday = weekdayOf(`${dinner.first_on}T12:00:00Z`, "UTC");
  const clock = formatClock(dinner.starts_at);
  if (dinner.rhythm !== "monthly") return words[dinner.rhythm](weekday, clock);
  return words.monthly(Math.ceil(Number(dinner.first_on.slice(8)) / 7), weekday, clock);
}
