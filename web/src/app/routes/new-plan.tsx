/** Owns: the screen of a new plan: title, people, times, places and rules; it can start from an earlier plan. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Checkbox, CheckboxGroup } from "react-aria-components";
import { circleQueries } from "../../features/circles/queries.ts";
import { DraftLine } from "../../features/drafts/components/draft-line.tsx";
import { useDraft } from "../../features/drafts/use-draft.ts";
import { chipLook, PlacesField } from "../../features/hosting/components/places-field.tsx";
import { RulesField } from "../../features/hosting/components/rules-field.tsx";
import { TimesField } from "../../features/hosting/components/times-field.tsx";
import {
  type NewPlanDraft,
  newPlanDraftSchema,
  withoutPastTimes,
} from "../../features/hosting/new-plan-form.ts";
import {
  defaultsFrom,
  firstEvenings,
  type PlanDefaults,
  takenOver,
} from "../../features/hosting/plan-defaults.ts";
import { deadlineOf, usualRules } from "../../features/hosting/rules.ts";
import { newPlanWords } from "../../features/hosting/words.ts";
import { makeInvite } from "../../features/invites/fresh.ts";
import { faceOf, peopleQueries } from "../../features/people/queries.ts";
import { nameAmong } from "../../features/people/told-apart.ts";
import { mealOn } from "../../features/plans/meal.ts";
import { createOnce } from "../../features/plans/mutations.ts";
import { planQueries } from "../../features/plans/queries.ts";
import { type Plan, ruleOf } from "../../features/plans/schema.ts";
import { tableWords } from "../../features/plans/words/table.ts";
import { useMyId } from "../../features/session/session.tsx";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useNow } from "../../lib/device/now.ts";
import { useTitle } from "../../lib/device/title.ts";
import { toAppError } from "../../lib/errors.ts";
import { problemWith } from "../../lib/rules.ts";
import { browserZone } from "../../lib/time.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { Form, focusFirstProblem, Submit } from "../../ui/fields/form.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { Fold } from "../../ui/fold.tsx";
import { ErrorNotice, Loading } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/plans/new");

export function NewPlan() {
  const words = newPlanWords();
  useTitle(words.title);
  const { again, circle } = route.useSearch();
  // Each start has a form and a draft of its own.
  return again ? <Again key={again} id={again} /> : <NewPlanForm key={circle ?? ""} last={null} />;
}

/** Reads the earlier plan and its ratings, and starts the form from them. */
function Again({ id }: { id: string }) {
  const words = newPlanWords().again;
  const me = useMyId();
  const now = useNow();
  const plan = useQuery(planQueries.one(id));
  const ratings = useQuery(planQueries.ratings());
  if (plan.isPending || ratings.isPending) {
    return (
      <Loading
        page
        what={words.loading}
        className="flex flex-col gap-4"
        shapes={["h-12 w-2/3", "h-24", "h-48"]}
      />
    );
  }
  if (plan.data === undefined)
    return <ErrorNotice page error={plan.error} retry={() => void plan.refetch()} />;
  if (!plan.data) {
    return (
      <>
        <p className="paper mb-6 border-l-4 border-l-maybe p-4">{words.gone}</p>
        <NewPlanForm last={null} />
      </>
    );
  }
  const defaults = defaultsFrom(plan.data, ratings.data ?? [], me, now);
  return <NewPlanForm last={{ plan: plan.data, defaults }} />;
}

function NewPlanForm({ last }: { last: { plan: Plan; defaults: PlanDefaults } | null }) {
  const words = newPlanWords();
  const search = route.useSearch();
  const me = useMyId();
  const now = useNow();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const zone = last?.plan.time_zone ?? browserZone();
  const profile = useQuery(peopleQueries.profile(me));
  const circles = useQuery(circleQueries.all());
  const form = useRef<HTMLFormElement>(null);
  const start: NewPlanDraft = {
    title: last?.plan.title ?? "",
    note: "",
    circle: last?.defaults.circle ?? search.circle ?? null,
    people: last?.defaults.people ?? null,
    times: last && last.defaults.times.length > 0 ? last.defaults.times : firstEvenings(now, zone),
    places: last?.defaults.places ?? [],
    newPlaces: [],
    rules: usualRules,
  };
  const formDraft = useDraft(me, keyOfDraft(last, search.circle), newPlanDraftSchema, start, (draft) =>
    withoutPastTimes(draft, zone, now),
  );
  const { title, note, circle, people, times, places, newPlaces, rules } = formDraft.draft;
  const set = (part: Partial<NewPlanDraft>) => formDraft.setDraft((before) => ({ ...before, ...part }));
  const [asked, setAsked] = useState(false);
  const [pendingPlace, setPendingPlace] = useState("");

  const members = circles.data?.find((one) => one.id === circle)?.circle_members ?? [];
  const before = last?.plan.plan_members ?? [];
  const others = [
    ...members,
    ...before.filter((one) => !members.some((other) => other.user_id === one.user_id)),
  ]
    .filter((member) => member.user_id !== me)
    .map((member) => faceOf(member.user_id, member.profiles));
  const chosen = (people ?? members.map((member) => member.user_id)).filter((id) =>
    others.some((face) => face.id === id),
  );
  const problems = {
    title: asked ? problemWith(ruleOf("title"), title) : undefined,
    note: problemWith(ruleOf("note"), note),
    place: asked && pendingPlace !== "" ? words.where.pending(pendingPlace) : undefined,
  };
  const tried = useRef<number | null>(null);
  const create = useMutation({
    mutationFn: () => {
      const deadline = deadlineOf(rules, zone, Date.now());
      return createOnce(
        {
          title,
          note,
          time_zone: zone,
          // A guest, or who has left, starts the next plan of a circle's plan outside the circle.
          ...(circle && circles.data?.every((one) => one.id !== circle) !== true ? { circle } : {}),
          times: times
            .filter((time) => time.date && time.from && time.until)
            .map((time) => {
              const [starts_at, ends_at] = mealOn(time.date, time.from, time.until, zone);
              return { starts_at, ends_at };
            }),
          places,
          new_places: newPlaces,
          people: chosen,
          ...(deadline ? { vote_deadline: deadline } : {}),
          ...(rules.capacity ? { capacity: rules.capacity } : {}),
          ...rules.options,
          decides_itself: rules.until !== null && rules.options.decides_itself,
        },
        me,
        tried.current,
      );
    },
    onMutate: () => ({ began: Date.now() }),
    onError: (error, _nothing, started) => {
      if (toAppError(error).kind === "network") tried.current ??= started?.began ?? Date.now();
    },
    onSuccess: async (id) => {
      formDraft.sent();
      // The link is ready when the plan is shown. If it cannot be made now, the plan's screen offers to make it.
      if (chosen.length === 0) await makeInvite({ kind: "plan", id }).catch(() => undefined);
      await queries.invalidateQueries({ queryKey: ["plans"] });
      await navigate({ to: "/plans/$id", params: { id }, replace: true });
    },
  });
  const startOver = () => {
    formDraft.startOver();
    setAsked(false);
    form.current?.querySelector<HTMLElement>("input")?.focus();
  };
  const invitedFaces = others.filter((face) => chosen.includes(face.id));
  const guests = invitedFaces.map(({ id, name }) => ({ user_id: id, profiles: { display_name: name } }));
  const firstNames = guests.map(({ user_id }) => nameAmong(guests, user_id) ?? "");
  const { host, invited } = tableWords().seats;
  const seats = [
    { ...faceOf(me, profile.data ?? null), look: "set" as const, words: host },
    ...invitedFaces.map((face) => ({ ...face, look: "empty" as const, words: invited })),
  ];

  return (
    <div className="page-side">
      <div className="hidden flex-col items-center gap-3 lg:sticky lg:top-5 lg:flex lg:self-start">
        <TableDrawing seats={seats} label={title || words.yourTable} className="w-full" />
        <p className="max-w-full font-display text-lg break-words text-ink-soft">{title || words.untitled}</p>
      </div>
      <Form
        ref={form}
        noValidate
        className="flex max-w-[44rem] min-w-0 flex-col gap-6"
        submit={(form) => {
          setAsked(true);
          const isWhole = problemWith(ruleOf("title"), title) === undefined && problems.note === undefined;
          if (isWhole && pendingPlace === "") create.mutate();
          else focusFirstProblem(form);
        }}
      >
        <h1 className="text-2xl">{last ? words.again.title(last.plan.title) : words.title}</h1>
        {formDraft.restored ? <DraftLine restored startOver={startOver} /> : null}
        {last ? (
          <TakenOver last={last} circle={circles.data?.find((one) => one.id === circle)?.name} />
        ) : null}
        <Field
          label={words.what}
          autoFocus={!last && !formDraft.restored}
          value={title}
          onChange={(next) => set({ title: next })}
          placeholder={words.whatExample}
          problem={problems.title}
        />
        <TimesField times={times} onChange={(next) => set({ times: next })} zone={zone} now={now} />
        <div className="flex flex-col gap-2">
          <Fold title={words.who.legend} summary={words.who.summary(firstNames)}>
            {(circles.data ?? []).length > 0 ? (
              <Select
                label={words.who.circle}
                value={circle ?? ""}
                options={[
                  ["", words.who.byLink],
                  ...(circles.data ?? []).map(({ id, name }) => [id, name] as const),
                ]}
                onChange={(id) => set({ circle: id || null, people: null })}
              />
            ) : null}
            {others.length > 0 ? (
              <CheckboxGroup
                aria-label={words.who.people}
                value={chosen}
                onChange={(next) => set({ people: next })}
                className="flex flex-wrap gap-2"
              >
                {others.map((face) => (
                  <Checkbox key={face.id} value={face.id} className={chipLook}>
                    <Avatar face={face} size={32} /> {face.name.split(" ")[0]}
                  </Checkbox>
                ))}
              </CheckboxGroup>
            ) : null}
            <p className="text-sm text-ink-soft">{words.who.others}</p>
          </Fold>
          <PlacesField
            me={me}
            chosen={places}
            added={newPlaces}
            circle={circle}
            onChange={set}
            onPending={setPendingPlace}
            problem={problems.place}
          />
          <Fold
            title={words.note}
            summary={note === "" ? words.noteNone : note}
            needed={problems.note !== undefined}
          >
            <Field
              label={words.note}
              value={note}
              onChange={(next) => set({ note: next })}
              lines={2}
              placeholder={words.noteExample}
              problem={problems.note}
            />
          </Fold>
          <RulesField rules={rules} onChange={(next) => set({ rules: next })} zone={zone} now={now} />
        </div>
        {formDraft.begun && !formDraft.restored ? <DraftLine restored={false} startOver={startOver} /> : null}
        <Submit of={create} className="self-start">
          {words.create}
        </Submit>
      </Form>
    </div>
  );
}

/** Drafts are kept apart by what the form starts from: an earlier plan, a circle, or nothing. */
function keyOfDraft(last: { plan: Plan } | null, circle: string | undefined): string {
  if (last) return `new-plan.again.${last.plan.id}`;
  return circle ? `new-plan.circle.${circle}` : "new-plan";
}

/** Lists what the form took from the earlier plan. */
function TakenOver({
  last,
  circle,
}: {
  last: { plan: Plan; defaults: PlanDefaults };
  circle: string | undefined;
}) {
  const words = newPlanWords().again;
  const { plan, defaults } = last;
  return (
    <div className="paper border-l-4 border-l-maybe p-4">
      <p className="font-semibold">{words.from(plan.title)}</p>
      <ul className="mt-1 flex flex-wrap gap-x-4 text-ink-soft">
        {takenOver(plan, defaults, circle).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
