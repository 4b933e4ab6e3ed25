/** Owns: setting the table: a title, who, a few times, a few places. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Checkbox, CheckboxGroup } from "react-aria-components";
import { circleQueries } from "../../features/circles/queries.ts";
import { faceOf, peopleQueries } from "../../features/people/queries.ts";
import { placeQueries } from "../../features/places/queries.ts";
import { TableDrawing } from "../../features/plans/components/table-drawing.tsx";
import { mealOn } from "../../features/plans/components/when-tab.tsx";
import { createPlan } from "../../features/plans/mutations.ts";
import { title as titleRule } from "../../features/plans/schema.ts";
import { useMyId } from "../../features/session/session.tsx";
import { browserZone, dateOf } from "../../lib/time.ts";
import { useTitle } from "../../lib/title.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { Dish } from "../../ui/dish.tsx";
import { Field } from "../../ui/field.tsx";
import { CheckIcon } from "../../ui/icons.ts";
import { ErrorNotice } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/plans/new");

interface DraftTime {
  key: number;
  date: string;
  from: string;
  until: string;
}

const chip =
  "flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-edge bg-card py-1 pr-4 pl-1.5 transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card";

export function NewPlan() {
  useTitle("Set a table");
  const search = route.useSearch();
  const me = useMyId();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const zone = browserZone();
  const profile = useQuery(peopleQueries.profile(me));
  const circles = useQuery(circleQueries.all());
  const [title, setTitle] = useState("");
  const [note, setNote] = useState("");
  const [circle, setCircle] = useState<string | null>(search.circle ?? null);
  const [people, setPeople] = useState<string[] | null>(null);
  const [times, setTimes] = useState<DraftTime[]>(() => [nextEvening(0, zone), nextEvening(1, zone)]);
  const [places, setPlaces] = useState<string[]>([]);
  const [asked, setAsked] = useState(false);

  const members = circles.data?.find((one) => one.id === circle)?.circle_members ?? [];
  const others = members.filter((member) => member.user_id !== me);
  const chosen = people ?? others.map((member) => member.user_id);
  const problem = asked ? titleRule.safeParse(title).error?.issues[0]?.message : undefined;
  const create = useMutation({
    mutationFn: () =>
      createPlan({
        title,
        note,
        timeZone: zone,
        circle,
        times: times.map((time) => {
          const [starts_at, ends_at] = mealOn(time.date, time.from, time.until, zone);
          return { starts_at, ends_at };
        }),
        places,
        people: chosen,
        capacity: null,
        resultsHidden: false,
      }),
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["plans"] });
      await navigate({ to: "/plans/$id", params: { id }, replace: true });
    },
  });
  const seats = [
    { ...faceOf(me, profile.data ?? null), look: "set" as const, words: "are the host" },
    ...others
      .filter((member) => chosen.includes(member.user_id))
      .map((member) => ({
        ...faceOf(member.user_id, member.profiles),
        look: "empty" as const,
        words: "is invited",
      })),
  ];

  return (
    <div className="grid gap-8 lg:grid-cols-[20rem_minmax(0,40rem)]">
      <div className="flex flex-col items-center gap-3 lg:sticky lg:top-5 lg:self-start">
        <TableDrawing seats={seats} label={title || "Your table"} className="w-full max-w-64 lg:max-w-none" />
        <p className="font-display text-lg break-words text-ink-soft">{title || "Untitled"}</p>
      </div>
      <form
        noValidate
        className="flex flex-col gap-8"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
          if (titleRule.safeParse(title).success) create.mutate();
        }}
      >
        <h1 className="text-2xl">Set a table</h1>
        <div className="flex flex-col gap-4">
          <Field
            label="What is it"
            value={title}
            onChange={setTitle}
            placeholder="Friday dinner"
            problem={problem}
          />
          <Field
            label="A note"
            value={note}
            onChange={setNote}
            lines={2}
            maxLength={1000}
            placeholder="Anything they should know"
          />
        </div>
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 font-display text-lg">Who</legend>
          {(circles.data ?? []).length > 0 ? (
            <label className="flex flex-col gap-1">
              <span className="text-sm font-semibold">Circle</span>
              <select
                value={circle ?? ""}
                onChange={(event) => {
                  setCircle(event.target.value || null);
                  setPeople(null);
                }}
                className="min-h-11 rounded-s border border-edge bg-card px-3"
              >
                <option value="">By link only</option>
                {circles.data?.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.name}
                  </option>
                ))}
              </select>
            </label>
          ) : null}
          {others.length > 0 ? (
            <CheckboxGroup
              aria-label="People"
              value={chosen}
              onChange={setPeople}
              className="flex flex-wrap gap-2"
            >
              {others.map((member) => {
                const face = faceOf(member.user_id, member.profiles);
                return (
                  <Checkbox key={member.user_id} value={member.user_id} className={chip}>
                    <Avatar face={face} size={32} /> {face.name.split(" ")[0]}
                  </Checkbox>
                );
              })}
            </CheckboxGroup>
          ) : null}
          <p className="text-sm text-ink-soft">
            Anyone else joins by a link that you make on the next screen.
          </p>
        </fieldset>
        <TimesField times={times} onChange={setTimes} zone={zone} />
        <PlacesField chosen={places} onChange={setPlaces} />
        {create.isError ? <ErrorNotice error={create.error} /> : null}
        <Button type="submit" look="action" busy={create.isPending} className="self-start">
          Set the table
        </Button>
      </form>
    </div>
  );
}

function TimesField({
  times,
  onChange,
  zone,
}: {
  times: DraftTime[];
  onChange: (times: DraftTime[]) => void;
  zone: string;
}) {
  const change = (key: number, part: Partial<DraftTime>) =>
    onChange(times.map((time) => (time.key === key ? { ...time, ...part } : time)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-display text-lg">When</legend>
      {times.map((time, index) => (
        <div
          key={time.key}
          className="paper grid grid-cols-2 items-end gap-3 p-3 sm:grid-cols-[1fr_auto_auto_auto]"
        >
          <div className="col-span-2 sm:col-span-1">
            <Field
              label={`Day ${index + 1}`}
              type="date"
              value={time.date}
              onChange={(date) => change(time.key, { date })}
            />
          </div>
          <Field label="From" type="time" value={time.from} onChange={(from) => change(time.key, { from })} />
          <Field
            label="Until"
            type="time"
            value={time.until}
            onChange={(until) => change(time.key, { until })}
          />
          <Button
            look="plain"
            onPress={() => onChange(times.filter((other) => other.key !== time.key))}
            aria-label={`Remove day ${index + 1}`}
            className="col-span-2 justify-self-start sm:col-span-1"
          >
            <span className="text-sm">Remove</span>
          </Button>
        </div>
      ))}
      <Button className="self-start" onPress={() => onChange([...times, nextEvening(times.length, zone)])}>
        Another time
      </Button>
      <p className="text-sm text-ink-soft">
        On the clock of {zone.replaceAll("_", " ")}. Others see theirs beside it.
      </p>
    </fieldset>
  );
}

function PlacesField({ chosen, onChange }: { chosen: string[]; onChange: (places: string[]) => void }) {
  const [search, setSearch] = useState("");
  const found = useQuery(placeQueries.list({ search, diets: [] }));
  const all = useQuery(placeQueries.list({ search: "", diets: [] }));
  const shown = (found.data ?? []).slice(0, search ? 12 : 6);
  const kept = (all.data ?? []).filter(
    (place) => chosen.includes(place.id) && !shown.some((one) => one.id === place.id),
  );
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-display text-lg">Where</legend>
      <Field label="Find a place" type="search" value={search} onChange={setSearch} />
      {found.isError ? <ErrorNotice error={found.error} retry={() => void found.refetch()} /> : null}
      <CheckboxGroup aria-label="Places" value={chosen} onChange={onChange} className="flex flex-wrap gap-2">
        {[...kept, ...shown].map((place) => (
          <Checkbox key={place.id} value={place.id} className={chip}>
            {({ isSelected }) => (
              <>
                {isSelected ? (
                  <CheckIcon aria-hidden className="m-1.5 size-5" />
                ) : (
                  <Dish seed={place.id} className="size-8" />
                )}
                {place.name}
              </>
            )}
          </Checkbox>
        ))}
      </CheckboxGroup>
      <p className="text-sm text-ink-soft">
        None is fine too: once people have answered, Best suggests some that are safe for all.
      </p>
    </fieldset>
  );
}

let keys = 0;

/** An evening to start from: the coming Friday, then the days after it. */
function nextEvening(index: number, zone: string): DraftTime {
  const today = Date.parse(`${dateOf(Date.now(), zone)}T00:00:00Z`);
  const untilFriday = (5 - new Date(today).getUTCDay() + 7) % 7 || 7;
  const date = new Date(today + (untilFriday + index) * 86_400_000).toISOString().slice(0, 10);
  keys += 1;
  return { key: keys, date, from: "19:30", until: "22:00" };
}
