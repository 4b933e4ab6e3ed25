/** Owns: the screens for adding a place and for changing a place that the person added. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { PlaceForm } from "../../../features/places/components/place-form.tsx";
import { draftOf, emptyDraft } from "../../../features/places/draft.ts";
import { placeQueries } from "../../../features/places/queries.ts";
import { placeFormWords } from "../../../features/places/words/form.ts";
import { placeWords } from "../../../features/places/words.ts";
import { useMyId, useSession } from "../../../features/session/session.tsx";
import { useTitle } from "../../../lib/device/title.ts";
import { browserZone } from "../../../lib/time.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";
import { PlaceSkeleton } from "./place.tsx";

const newRoute = getRouteApi("/seated/places/new");
const editRoute = getRouteApi("/seated/places/$id/edit");

export function NewPlace() {
  const words = placeFormWords();
  useTitle(words.addTitle);
  const me = useMyId();
  const navigate = useNavigate();
  const { plan } = newRoute.useSearch();
  const guest = useSession()?.user.is_anonymous ?? true;
  if (guest) {
    return (
      <Empty page title={words.addTitle} picture={<Dish seed="guest" className="w-24" />}>
        <p>{placeWords().guests}</p>
        <ButtonLink to="/me" look="action">
          {placeWords().makeAccount}
        </ButtonLink>
        <ButtonLink to="/places">{placeWords().place.gone.back}</ButtonLink>
      </Empty>
    );
  }
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <h1 className="text-2xl">{words.addTitle}</h1>
      <PlaceForm
        id={null}
        start={emptyDraft(browserZone())}
        me={me}
        onSaved={(id, name) =>
          // If the place is for a plan, the next step is to suggest it there.
          plan
            ? void navigate({ to: "/places", search: { plan, q: name } })
            : void navigate({ to: "/places/$id", params: { id } })
        }
      />
    </div>
  );
}

export function EditPlace() {
  const words = placeFormWords();
  const { id } = editRoute.useParams();
  const me = useMyId();
  const navigate = useNavigate();
  const place = useQuery({ ...placeQueries.one(id), refetchOnWindowFocus: false });
  useTitle(place.data ? words.editTitle(place.data.name) : undefined);
  if (place.isPending) return <PlaceSkeleton />;
  if (place.isError) return <ErrorNotice page error={place.error} retry={() => void place.refetch()} />;
  if (!place.data || place.data.created_by !== me) {
    return (
      <Empty page title={words.notYours.title}>
        <p>{words.notYours.text}</p>
        <ButtonLink to="/places/$id" params={{ id }}>
          {words.notYours.back}
        </ButtonLink>
      </Empty>
    );
  }
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <h1 className="text-2xl break-words">{words.editTitle(place.data.name)}</h1>
      <PlaceForm
        key={id}
        id={id}
        start={draftOf(place.data)}
        me={me}
        onSaved={() => void navigate({ to: "/places/$id", params: { id } })}
      />
    </div>
  );
}
