/** Owns: the screen for adding a place by its name, or one that a search knows. Its details come later, on its page. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FoundPlaces } from "../../../features/places/components/found-places.tsx";
import { NameField } from "../../../features/places/components/name-field.tsx";
import { checked, fieldsOfNew } from "../../../features/places/draft.ts";
import { savePlace } from "../../../features/places/mutations.ts";
import { useNear } from "../../../features/places/near.ts";
import type { FoundPlace, NewPlace } from "../../../features/places/schema.ts";
import { placeFormWords } from "../../../features/places/words/form.ts";
import { placeWords } from "../../../features/places/words.ts";
import { useMyId, useSession } from "../../../features/session/session.tsx";
import { useTitle } from "../../../lib/device/title.ts";
import { browserZone } from "../../../lib/time.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";

const route = getRouteApi("/seated/places/new");

export function NewPlaceScreen() {
  const words = placeFormWords();
  useTitle(words.addTitle);
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
      <AddByName />
    </div>
  );
}

function AddByName() {
  const words = placeFormWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const near = useNear(useMyId());
  const { plan, shared = "" } = route.useSearch();
  // A map's app shares its link below the name and the address.
  const [name, setName] = useState(() => /https?:\/\/\S+/.exec(shared)?.[0] ?? shared);
  const save = useMutation({
    mutationFn: (place: NewPlace | FoundPlace) => {
      const answer = checked(fieldsOfNew(place, browserZone()));
      // The field takes no name that is too long, and a search result is as the database has it.
      if ("problems" in answer) throw new Error(Object.values(answer.problems).join(" "));
      return savePlace(null, answer.fields, "external_id" in place ? place : undefined);
    },
    onSuccess: async (id, place) => {
      await queries.invalidateQueries({ queryKey: ["places"] });
      // If the place is for a plan, the next step is to suggest it there.
      await (plan
        ? navigate({ to: "/places", search: { plan, q: place.name } })
        : navigate({ to: "/places/$id", params: { id } }));
    },
  });
  return (
    <>
      <NameField
        autoFocus
        label={words.nameOrLink}
        look="action"
        value={name}
        onChange={setName}
        onAdd={(place) => save.mutate(place)}
        taken={[]}
        unknown
        mayBeHome={false}
        busy={save.isPending}
      />
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      <FoundPlaces words={name} near={near.position} onUse={(found) => save.mutate(found)} />
    </>
  );
}
