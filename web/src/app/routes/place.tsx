/** Owns: one place: what is known of it, when it is open, and what one's tables thought of it. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { openWords, SafeFor, SaveHeart } from "../../features/places/components/place-card.tsx";
import { Price } from "../../features/places/components/price.tsx";
import { placeQueries } from "../../features/places/queries.ts";
import { planQueries } from "../../features/plans/queries.ts";
import type { Place } from "../../features/plans/schema.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useNow } from "../../lib/now.ts";
import { useTitle } from "../../lib/title.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Dish } from "../../ui/dish.tsx";
import { NavigationIcon, StarIcon } from "../../ui/icons.ts";
import { Bone, Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/places/$id");
const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export function PlaceScreen() {
  const { id } = route.useParams();
  const place = useQuery(placeQueries.one(id));
  if (place.isPending) {
    return (
      <Loading what="the place">
        <Bone className="size-40 rounded-full" />
        <Bone className="mt-4 h-10 w-72" />
      </Loading>
    );
  }
  if (place.isError) return <ErrorNotice error={place.error} retry={() => void place.refetch()} />;
  if (!place.data) {
    return (
      <Empty title="This place is gone">
        <p>It was taken off the list.</p>
        <ButtonLink to="/places">To the places</ButtonLink>
      </Empty>
    );
  }
  return <PlacePage place={place.data} />;
}

function PlacePage({ place }: { place: Place }) {
  useTitle(place.name);
  const me = useMyId();
  const now = useNow();
  const ratings = useQuery(planQueries.ratings());
  const given = (ratings.data ?? []).filter((rating) => rating.place_id === place.id);
  const mean = given.reduce((sum, rating) => sum + rating.stars, 0) / Math.max(given.length, 1);
  return (
    <article className="mx-auto grid max-w-4xl gap-8 md:grid-cols-[16rem_1fr]">
      <Dish seed={place.id} className="mx-auto w-52 md:w-full" />
      <div className="flex flex-col gap-4">
        <header>
          <div className="flex items-start justify-between gap-3">
            <h1 className="text-2xl break-words">{place.name}</h1>
            <SaveHeart place={place} me={me} />
          </div>
          <p className="mt-2 text-lg text-ink-soft">{place.about}</p>
        </header>
        <p>
          <Price level={place.price} /> · {place.cuisines.join(", ")} · {openWords(place, now)}
        </p>
        <SafeFor place={place} />
        <p className="text-sm text-ink-soft">
          What is not named here is not known. Ask the kitchen if someone needs it.
        </p>
        <p className="flex flex-wrap items-center gap-x-4">
          {place.address}
          <a
            className="inline-flex min-h-11 items-center gap-1.5 font-semibold underline decoration-line decoration-2 underline-offset-4 hover:decoration-action"
            href={`https://www.openstreetmap.org/?mlat=${place.latitude}&mlon=${place.longitude}#map=17/${place.latitude}/${place.longitude}`}
            target="_blank"
            rel="noreferrer"
          >
            <NavigationIcon aria-hidden className="size-4" /> Directions
          </a>
        </p>
        <Hours place={place} />
        <section aria-label="Ratings" className="flex flex-col gap-2">
          <h2 className="text-lg">Your tables</h2>
          {given.length === 0 ? (
            <p className="text-ink-soft">You have not eaten here together yet.</p>
          ) : (
            <>
              <p className="flex items-center gap-1.5">
                <StarIcon aria-hidden className="size-5 fill-maybe text-maybe" />
                <span className="numerals text-lg font-semibold">{mean.toFixed(1)}</span> of 5, from{" "}
                {given.length}
              </p>
              <ul className="flex flex-col gap-1 text-ink-soft">
                {given
                  .filter((rating) => rating.comment)
                  .map((rating) => (
                    <li key={`${rating.plan_id} ${rating.user_id}`}>“{rating.comment}”</li>
                  ))}
              </ul>
            </>
          )}
        </section>
      </div>
    </article>
  );
}

function Hours({ place }: { place: Place }) {
  return (
    <section aria-label="Opening hours">
      <h2 className="mb-2 text-lg">Hours</h2>
      {place.place_hours.length === 0 ? (
        <p className="text-ink-soft">Not known. Call before you go.</p>
      ) : (
        <dl className="numerals grid max-w-sm grid-cols-[auto_1fr] gap-x-6 gap-y-1">
          {weekdays.map((name, index) => {
            const intervals = place.place_hours
              .filter((interval) => interval.weekday === index + 1)
              .toSorted((a, b) => (a.opens < b.opens ? -1 : 1));
            return (
              <div key={name} className="col-span-2 grid grid-cols-subgrid border-b border-line pb-1">
                <dt>{name}</dt>
                <dd className="text-right text-ink-soft">
                  {intervals.length === 0
                    ? "closed"
                    : intervals
                        .map((interval) => `${interval.opens.slice(0, 5)}–${interval.closes.slice(0, 5)}`)
                        .join(", ")}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </section>
  );
}
