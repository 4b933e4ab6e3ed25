/** Owns: the screen of one place: details, opening hours, ratings by the person's own tables, and actions. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { DirectionsLink } from "../../../features/map/components/directions-link.tsx";
import { MapView } from "../../../features/map/components/map-view.tsx";
import { hasDirections } from "../../../features/map/directions.ts";
import { hasStreets } from "../../../features/map/streets.ts";
import { PlacePicture } from "../../../features/pictures/components/place-picture.tsx";
import { AddToPlan } from "../../../features/place-options/components/add-to-plan.tsx";
import { PlaceMemory } from "../../../features/place-options/components/place-memory.tsx";
import { ContactLinks } from "../../../features/places/components/contact-links.tsx";
import { DietClaims } from "../../../features/places/components/diet-claims.tsx";
import { HomeAddress } from "../../../features/places/components/home-address.tsx";
import { HoursWeek } from "../../../features/places/components/hours-week.tsx";
import { openWords } from "../../../features/places/components/opening.ts";
import { PlaceParts } from "../../../features/places/components/place-parts.tsx";
import { PlaceFacts } from "../../../features/places/components/price.tsx";
import { SaveHeart } from "../../../features/places/components/save-heart.tsx";
import { cuisineNames } from "../../../features/places/cuisines.ts";
import { placeQueries } from "../../../features/places/queries.ts";
import { isEditable, isPlaced, type WholePlace } from "../../../features/places/schema.ts";
import { placeWords } from "../../../features/places/words.ts";
import { useMyId, useSession } from "../../../features/session/session.tsx";
import { useNow } from "../../../lib/device/now.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { browserZone } from "../../../lib/time.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Empty, ErrorNotice, Loading, Skeleton } from "../../../ui/notice.tsx";

const route = getRouteApi("/seated/places/$id");

export function PlaceScreen() {
  const { id } = route.useParams();
  const place = useQuery(placeQueries.one(id));
  const words = placeWords().place;
  useTitle(place.data === null ? words.gone.title : place.data?.name);
  if (place.isPending) return <PlaceSkeleton />;
  if (place.isError) return <ErrorNotice page error={place.error} retry={() => void place.refetch()} />;
  if (!place.data) {
    return (
      <Empty page title={words.gone.title}>
        <p>{words.gone.text}</p>
        <ButtonLink to="/places">{words.gone.back}</ButtonLink>
      </Empty>
    );
  }
  return <PlacePage place={place.data} />;
}

function PlaceSkeleton() {
  return (
    <Loading page what={placeWords().place.loading}>
      <div className="page-side">
        <Skeleton className="mx-auto size-44 rounded-full lg:size-64" />
        <div className="flex flex-col gap-3">
          <Skeleton className="h-11 w-72 max-w-full" />
          <Skeleton className="h-6 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      </div>
    </Loading>
  );
}

function PlacePage({ place }: { place: WholePlace }) {
  const words = placeWords().place;
  const me = useMyId();
  const now = useNow();
  const guest = useSession()?.user.is_anonymous ?? true;
  return (
    <article className="page-side">
      <PlacePicture large placeId={place.id} className="mx-auto w-44 lg:sticky lg:top-5 lg:w-full" />
      <div className="flex max-w-[44rem] min-w-0 flex-col gap-6">
        <header className="flex flex-col gap-3">
          <div className="flex flex-wrap items-start justify-end gap-3">
            <h1 className="min-w-0 flex-1 text-2xl break-words">{place.name}</h1>
            <SaveHeart place={place} me={me} />
          </div>
          {place.about ? <p className="text-lg text-ink-soft">{place.about}</p> : null}
          <p>
            <PlaceFacts
              price={place.price}
              facts={[...cuisineNames(place.cuisines), openWords(place, now)]}
            />
          </p>
          <div className="flex flex-wrap gap-2">
            <AddToPlan place={place} me={me} now={now} />
          </div>
        </header>
        <DietClaims place={place} me={me} now={now} zone={browserZone()} />
        <div className="flex flex-col gap-2">
          <p className="flex flex-wrap items-center gap-x-4">
            {place.address}
            {hasDirections(place) ? <DirectionsLink place={place} /> : words.nowhere}
            <ContactLinks place={place} />
          </p>
          {isPlaced(place) && hasStreets([place]) ? (
            <MapView label={words.map(place.name)} points={[{ ...place, kind: "place" }]} className="h-56" />
          ) : null}
          {place.created_by === me && !place.everybody && place.source === "member" ? (
            <HomeAddress place={place} />
          ) : null}
          {place.source === "openstreetmap" ? (
            <p className="text-sm text-ink-soft">{words.openStreetMap}</p>
          ) : null}
        </div>
        {isEditable(place, me, guest) ? <PlaceParts place={place} own={place.created_by === me} /> : null}
        <HoursWeek place={place} now={now} viewerZone={browserZone()} />
        <PlaceMemory place={place} now={now} />
      </div>
    </article>
  );
}
