/** Owns: adding a place and editing one's own. Typed text is kept until it is saved. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem } from "../../../ui/fields/form.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { Tick } from "../../../ui/fields/tick.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { DraftLine } from "../../drafts/components/draft-line.tsx";
import { useDraft } from "../../drafts/use-draft.ts";
import { formatMetres, metresBetween } from "../../map/geometry.ts";
import { DietFilter } from "../../people/components/diet-filter.tsx";
import {
  checked,
  duplicatesOf,
  filledBy,
  type PlaceDraft,
  type Problems,
  placeDraftSchema,
  positionOf,
} from "../draft.ts";
import type { Spot } from "../look-up.ts";
import { savePlace } from "../mutations.ts";
import { useNear } from "../near.ts";
import { placeQueries } from "../queries.ts";
import { placeFormWords } from "../words/form.ts";
import { placeWords } from "../words.ts";
import { FoundPlaces } from "./found-places.tsx";
import { HoursEditor } from "./hours-editor.tsx";
import { LookUpResults } from "./look-up-results.tsx";
import { PositionField } from "./position-field.tsx";

/** The first is for an unknown price. */
const levels = ["", "1", "2", "3", "4"] as const;

export function PlaceForm({
  id,
  start,
  me,
  onSaved,
}: {
  /** The place to edit; null for a new one. */
  id: string | null;
  start: PlaceDraft;
  me: string;
  onSaved: (id: string, name: string) => void;
}) {
  const words = placeFormWords();
  const announce = useAnnounce();
  const queries = useQueryClient();
  const near = useNear(me);
  const form = useRef<HTMLFormElement>(null);
  const formDraft = useDraft(me, id === null ? "new-place" : `place.${id}`, placeDraftSchema, start);
  const { draft, setDraft } = formDraft;
  const [problems, setProblems] = useState<Problems>({});
  const [searching, setSearching] = useState(id === null && !formDraft.restored);
  const [lookingUp, setLookingUp] = useState(false);
  const set = (change: Partial<PlaceDraft>) => setDraft((before) => ({ ...before, ...change }));
  const position = positionOf(draft);
  const save = useMutation({
    mutationFn: (fields: Parameters<typeof savePlace>[1]) =>
      savePlace(id, fields, { source: draft.source, external_id: draft.external_id }),
    onSuccess: async (saved, { name }) => {
      formDraft.sent();
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["places"] }),
        queries.invalidateQueries({ queryKey: ["place", saved] }),
        queries.invalidateQueries({ queryKey: ["plan"] }),
        queries.invalidateQueries({ queryKey: ["plans"] }),
      ]);
      onSaved(saved, name);
    },
  });
  const takeSpot = (spot: Spot) => {
    const whole = [spot.name, spot.address].filter(Boolean).join(", ");
    setDraft((before) => ({
      ...before,
      // A spot with the place's own name has its address apart; the name of any other spot is part of the address.
      address: spot.name === before.name.trim() ? spot.address : whole.slice(0, 160),
      latitude: String(spot.latitude),
      longitude: String(spot.longitude),
    }));
    setLookingUp(false);
    announce(words.lookUp.taken(spot.name));
  };
  const startOver = () => {
    formDraft.startOver();
    setProblems({});
    form.current?.querySelector<HTMLElement>("input")?.focus();
  };
  const submit = () => {
    const answer = checked(draft);
    if ("fields" in answer) {
      setProblems({});
      save.mutate(answer.fields);
      return;
    }
    setProblems(answer.problems);
    announce(words.problems.some);
    focusFirstProblem(form.current);
  };
  return (
    <Form ref={form} noValidate className="flex flex-col gap-6" submit={submit}>
      {formDraft.restored ? <DraftLine restored startOver={startOver} /> : null}
      <div className="flex flex-col gap-2">
        <Field
          label={words.name}
          value={draft.name}
          onChange={(name) => {
            set({ name });
            setSearching(id === null);
          }}
          problem={problems.name}
          maxLength={120}
          autoComplete="off"
        />
        {searching ? (
          <FoundPlaces
            words={draft.name}
            near={position ?? near.position}
            onUse={(found) => {
              setDraft((before) => filledBy(before, found));
              setSearching(false);
              announce(words.filled(found.name));
            }}
          />
        ) : null}
        {draft.source === "openstreetmap" && id === null ? (
          <p className="rounded-s border border-maybe/60 bg-card-warm px-3 py-2 text-sm">
            {words.filled(draft.name)}
          </p>
        ) : null}
      </div>
      <Field
        label={words.about}
        help={words.aboutHelp}
        value={draft.about}
        onChange={(about) => set({ about })}
        problem={problems.about}
        lines={2}
      />
      <Field
        label={words.cuisines}
        help={words.cuisinesHelp}
        value={draft.cuisines}
        onChange={(cuisines) => set({ cuisines })}
        problem={problems.cuisines}
      />
      <div className="flex flex-col gap-2">
        <Field
          label={words.address}
          value={draft.address}
          onChange={(address) => {
            set({ address });
            setLookingUp(true);
          }}
          problem={problems.address}
          autoComplete="off"
        />
        {lookingUp ? <LookUpResults words={draft.address} near={near.position} onPick={takeSpot} /> : null}
      </div>
      <PositionField
        latitude={draft.latitude}
        longitude={draft.longitude}
        position={position}
        centre={near.position}
        problems={problems}
        onChange={set}
        onName={(name) => {
          if (draft.name.trim() === "") set({ name });
        }}
        onSpot={takeSpot}
      />
      {id === null ? <Duplicates draft={draft} /> : null}
      <Select
        label={words.price}
        value={levels[draft.price ?? 0] ?? ""}
        options={levels.map((level) => [level, placeWords().prices[Number(level) - 1] ?? words.noPrice])}
        onChange={(level) => set({ price: level === "" ? null : Number(level) })}
      />
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="font-display text-lg">{words.diets}</legend>
        <p className="text-sm text-ink-soft">{words.dietsHelp}</p>
        <DietFilter value={draft.safe_diets} onChange={(safe_diets) => set({ safe_diets })} />
      </fieldset>
      <HoursEditor
        week={draft.week}
        onChange={(week) => set({ week })}
        problem={problems.week}
        problemDay={problems.weekday}
      />
      <Select
        label={words.zone}
        value={draft.time_zone}
        options={zonesWith(draft.time_zone)}
        onChange={(time_zone) => set({ time_zone })}
      />
      {draft.source === "member" ? (
        <fieldset className="flex min-w-0 flex-col gap-1">
          <legend className="font-display text-lg">{words.readers}</legend>
          <p className="text-sm text-ink-soft">{start.everybody ? words.readersAll : words.readersHelp}</p>
          {start.everybody ? null : (
            <Tick on={draft.everybody} onChange={(everybody) => set({ everybody })}>
              {words.everybody}
            </Tick>
          )}
        </fieldset>
      ) : null}
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      {formDraft.begun && !formDraft.restored ? <DraftLine restored={false} startOver={startOver} /> : null}
      <Button type="submit" look="action" busy={save.isPending} className="self-start">
        {id === null ? words.save : words.saveChange}
      </Button>
    </Form>
  );
}

/** Warns of a probable duplicate; the place can be added anyway. */
function Duplicates({ draft }: { draft: PlaceDraft }) {
  const words = placeFormWords().duplicates;
  const position = positionOf(draft);
  const around = useQuery({
    ...placeQueries.list({ search: "", diets: [], near: position, most: 10 }),
    enabled: position !== null,
  });
  const known = (around.data ?? []).map((place) => ({
    ...place,
    source: "member" as const,
    external_id: null,
    hours: null,
  }));
  const same = position ? duplicatesOf(draft, known) : [];
  return (
    <div role="status">
      {position && same.length > 0 ? (
        <div className="rounded-s border border-maybe/60 bg-card-warm px-3 py-2 text-sm">
          <p className="font-semibold">{words.title}</p>
          <p>{words.text}</p>
          <ul>
            {same.map((place) => (
              <li key={place.id}>
                <Link
                  to="/places/$id"
                  params={{ id: place.id ?? "" }}
                  className="inline-flex min-h-9 items-center font-semibold underline underline-offset-4"
                >
                  {words.away(place.name, formatMetres(metresBetween(position, place)))}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </div>
  );
}

function zonesWith(zone: string): [string, string][] {
  const zones = Intl.supportedValuesOf("timeZone");
  return (zones.includes(zone) ? zones : [zone, ...zones]).map((each) => [each, each.replaceAll("_", " ")]);
}
