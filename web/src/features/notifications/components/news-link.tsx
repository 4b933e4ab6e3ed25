/** Owns: the ways to what happened: a link that is always there, and a mark on the frame while some of it is new. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { notificationQueries } from "../queries.ts";
import { useLiveNotifications } from "../realtime.ts";
import { notificationWords } from "../words.ts";

/** As high with news as without, so that nothing moves when some come. */
export function NewsLink() {
  const words = notificationWords();
  const fresh = useQuery(notificationQueries.fresh()).data ?? 0;
  return (
    <Link
      to="/notifications"
      className="flex min-h-9 items-center gap-2 rounded-full border border-line bg-card px-4 text-sm font-semibold whitespace-nowrap transition-colors duration-150 hover:bg-card-warm"
    >
      {fresh > 0 ? <span aria-hidden data-live className="size-2.5 rounded-full bg-action" /> : null}
      <span data-live>{fresh > 0 ? words.fresh(fresh) : words.title}</span>
    </Link>
  );
}

/** On an icon of the frame. Listens for as long as the frame is there. */
export function NewsMark({ me }: { me: string }) {
  useLiveNotifications(me);
  const fresh = useQuery(notificationQueries.fresh()).data ?? 0;
  if (fresh === 0) return null;
  return (
    <span
      aria-hidden
      data-live
      className="pop absolute -top-1 left-4 grid min-w-4.5 place-items-center rounded-full bg-action px-1 text-xs leading-4.5 font-semibold text-on-action"
    >
      {fresh > 9 ? "9+" : fresh}
    </span>
  );
}

/** The mark's text, which follows the adjacent word. */
export function NewsSpoken() {
  const fresh = useQuery(notificationQueries.fresh()).data ?? 0;
  return fresh === 0 ? null : <span className="sr-only">{notificationWords().fresh(fresh)}</span>;
}
