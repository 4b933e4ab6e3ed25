/** Owns: the list of places, with search and diets, and the list of those one saved. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import type { Diet } from "../../../../supabase/functions/_shared/diets.ts";
import { DietFilter } from "../../features/people/components/diet-filter.tsx";
import { PlaceCard, PlaceCardBones } from "../../features/places/components/place-card.tsx";
import { placeQueries } from "../../features/places/queries.ts";
import { proposePlace } from "../../features/plans/mutations.ts";
import { planQueries } from "../../features/plans/queries.ts";
import type { Place } from "../../features/plans/schema.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useNow } from "../../lib/now.ts";
import { useTitle } from "../../lib/title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dish } from "../../ui/dish.tsx";
import { Field } from "../../ui/field.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/places");

export function Places() {
  useTitle("Places");
  const { plan: planId } = route.useSearch();
  const me = useMyId();
  const now = useNow();
  const [search, setSearch] = useState("");
  const [needs, setNeeds] = useState<Diet[]>([]);
  const filter = { search: useDeferredValue(search), diets: needs };
  const places = useQuery(placeQueries.list(filter));
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{planId ? "Put up a place" : "Places"}</h1>
        {planId ? (
          <ButtonLink to="/plans/$id" params={{ id: planId }} search={{ tab: "where" }}>
            Back to the plan
          </ButtonLink>
        ) : null}
      </header>
      <search className="flex flex-col gap-3">
        <div className="max-w-md">
          <Field label="Find a place" type="search" value={search} onChange={setSearch} placeholder="Name" />
        </div>
        <DietFilter value={needs} onChange={setNeeds} />
      </search>
      <p role="status" className="sr-only">
        {places.isSuccess ? `${places.data.length} places` : ""}
      </p>
      {places.isPending ? (
        <Loading what="places">
          <PlaceGrid>
            {[1, 2, 3, 4].map((bone) => (
              <li key={bone}>
                <PlaceCardBones />
              </li>
            ))}
          </PlaceGrid>
        </Loading>
      ) : places.isError ? (
        <ErrorNotice error={places.error} retry={() => void places.refetch()} />
      ) : places.data.length === 0 ? (
        <Empty title="No such place" picture={<Dish seed="nothing" className="w-24 opacity-60" />}>
          <p>Nothing by that name is known to be safe for what you chose.</p>
          <Button
            onPress={() => {
              setSearch("");
              setNeeds([]);
            }}
          >
            Show all
          </Button>
        </Empty>
      ) : (
        <PlaceGrid>
          {places.data.map((place) => (
            <li key={place.id}>
              <PlaceCard
                place={place}
                me={me}
                now={now}
                action={planId ? <PutUp planId={planId} place={place} /> : undefined}
              />
            </li>
          ))}
        </PlaceGrid>
      )}
    </div>
  );
}

export function Saved() {
  useTitle("Saved");
  const me = useMyId();
  const now = useNow();
  const saved = useQuery(placeQueries.saved());
  const places = useQuery(placeQueries.list({ search: "", diets: [] }));
  const chosen = (saved.data ?? []).flatMap((id) => places.data?.find((place) => place.id === id) ?? []);
  return (
    <div className="flex flex-col gap-6">
      <h1 className="text-2xl">Saved</h1>
      {saved.isError || places.isError ? (
        <ErrorNotice
          error={saved.error ?? places.error}
          retry={() => void Promise.all([saved.refetch(), places.refetch()])}
        />
      ) : saved.isPending || places.isPending ? (
        <Loading what="saved places">
          <PlaceGrid>
            <li>
              <PlaceCardBones />
            </li>
          </PlaceGrid>
        </Loading>
      ) : chosen.length === 0 ? (
        <Empty title="Nothing saved" picture={<Dish seed="saved" className="w-24" />}>
          <p>The heart on a place keeps it here for the next plan.</p>
          <ButtonLink to="/places">Look at places</ButtonLink>
        </Empty>
      ) : (
        <PlaceGrid>
          {chosen.map((place) => (
            <li key={place.id}>
              <PlaceCard place={place} me={me} now={now} />
            </li>
          ))}
        </PlaceGrid>
      )}
    </div>
  );
}

function PlaceGrid({ children }: { children: React.ReactNode }) {
  return <ul className="grid gap-3 md:grid-cols-2 2xl:grid-cols-3">{children}</ul>;
}

function PutUp({ planId, place }: { planId: string; place: Place }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const plan = useQuery(planQueries.one(planId));
  const put = useMutation({
    mutationFn: () => proposePlace(planId, place.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["plan", planId] });
      await navigate({ to: "/plans/$id", params: { id: planId }, search: { tab: "where" } });
    },
  });
  if (plan.data?.place_options.some((option) => option.place_id === place.id)) {
    return <p className="text-sm text-ink-soft">On the plan already</p>;
  }
  return (
    <>
      <Button busy={put.isPending} onPress={() => put.mutate()} aria-label={`Put up ${place.name}`}>
        Put it up
      </Button>
      {put.isError ? <ErrorNotice error={put.error} /> : null}
    </>
  );
}
