/**
 * Owns: editing a plan. Fields that another host changes meanwhile are updated and announced, unless the person
 * changed them too: then the person's value stays and the other one is offered.
 */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import * as z from "zod/mini";
import { AppError } from "../../../lib/errors.ts";
import { listOf } from "../../../lib/i18n/words.ts";
import { problemWith } from "../../../lib/rules.ts";
import { cityOf, dateOf, formatTime, wallClockOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem, Submit } from "../../../ui/fields/form.tsx";
import { DraftLine } from "../../drafts/components/draft-line.tsx";
import { isSameDraft, readDraft, storeDraft } from "../../drafts/form-draft.ts";
import {
  type PlanEdit,
  type PlanField,
  type PlanText,
  planColumns,
  planFields,
  planTexts,
  settings,
  textFields,
} from "../../plans/fields.ts";
import { mealOn } from "../../plans/meal.ts";
import { editPlan } from "../../plans/mutations.ts";
import { planQueries } from "../../plans/queries.ts";
import { type Plan, ruleOf } from "../../plans/schema.ts";
import { seatsTaken } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";
import { changesOf, editOf, mergeEdits } from "../merge.ts";
import { DecidesItself } from "./decides-itself.tsx";
import { OptionTicks } from "./option-ticks.tsx";
import { SeatsChoice } from "./seats-choice.tsx";

/** The deadline in the form: a day and a time in the plan's zone, each of which may be empty. */
interface Deadline {
  date: string;
  clock: string;
}

/** A draft of an earlier version lacks the fields that are new. */
const fields = Object.fromEntries(
  planFields.map((field) => [field, z._default(planColumns[field] as z.ZodMiniType, settings[field])]),
) as unknown as { [F in PlanField]: z.ZodMiniType<PlanEdit[F]> };
const storedEditSchema = z.object({
  base: z.object({ ...fields, updated_at: z.string() }),
  draft: z.object(fields),
  deadline: z.object({ date: z.string(), clock: z.string() }),
});

/** A longer text has a field of several lines. */
const MOST_OF_ONE_LINE = 100;

/** The plan as it was when editing began. */
type Base = PlanEdit & Pick<Plan, "updated_at">;

const baseOf = (plan: Plan): Base => ({ ...editOf(plan), updated_at: plan.updated_at });

export function EditForm({
  plan,
  me,
  now,
  close,
}: {
  plan: Plan;
  me: string;
  now: number;
  close: () => void;
}) {
  const words = planWords().edit;
  const announce = useAnnounce();
  const queries = useQueryClient();
  const zone = plan.time_zone;
  const form = useRef<HTMLFormElement>(null);
  const name = `plan.${plan.id}`;
  // A stored draft is based on the plan of that time; later changes of others are merged below.
  const [stored] = useState(() => readDraft(me, name, storedEditSchema));
  const [restored, setRestored] = useState(stored !== null);
  const [base, setBase] = useState<Base>(stored?.base ?? baseOf(plan));
  const [draft, setDraft] = useState(() => stored?.draft ?? editOf(plan));
  const [deadline, setDeadline] = useState(() => stored?.deadline ?? deadlineParts(plan.vote_deadline, zone));
  const [taken, setTaken] = useState<readonly PlanField[]>([]);
  const [conflicts, setConflicts] = useState<readonly PlanField[]>([]);
  const [changed, setChanged] = useState(false);
  const [asked, setAsked] = useState(false);

  const mine: PlanEdit = { ...draft, vote_deadline: deadlineOf(deadline, zone) };
  const set = (part: Partial<PlanEdit>) => setDraft({ ...draft, ...part });

  /** Merges another host's changes into the form; nothing that was typed is lost. */
  const catchUp = (now: Plan) => {
    const merged = mergeEdits(base, mine, editOf(now));
    const news = merged.taken.length > 0 || merged.conflicts.length > 0;
    setBase(baseOf(now));
    setDraft(merged.draft);
    setDeadline(deadlineParts(merged.draft.vote_deadline, zone));
    setTaken([...new Set([...taken, ...merged.taken])]);
    setConflicts([...new Set([...conflicts, ...merged.conflicts])]);
    setChanged(changed || news);
  };
  // The plan is updated live: merging while rendering avoids painting the old values.
  if (plan.updated_at > base.updated_at) catchUp(plan);

  const begun =
    Object.keys(changesOf(base, mine)).length > 0 ||
    !isSameDraft(deadline, deadlineParts(base.vote_deadline, zone));
  const over = useRef(false);
  useEffect(() => {
    if (!over.current) storeDraft(me, name, begun ? { base, draft, deadline } : null);
  }, [me, name, begun, base, draft, deadline]);
  const startOver = () => {
    setBase(baseOf(plan));
    setDraft(editOf(plan));
    setDeadline(deadlineParts(plan.vote_deadline, zone));
    setTaken([]);
    setConflicts([]);
    setChanged(false);
    setAsked(false);
    setRestored(false);
    form.current?.querySelector<HTMLElement>("input")?.focus();
  };

  const problems = problemsOf(mine, deadline, base);
  const save = useMutation({
    mutationFn: async () => {
      const changes = changesOf(base, { ...mine, ...textsOf((field) => mine[field].trim()) });
      if (Object.keys(changes).length === 0) return;
      if (await editPlan(plan.id, base.updated_at, changes)) return;
      const now = await queries.fetchQuery({ ...planQueries.one(plan.id), staleTime: 0 });
      if (!now) throw new AppError("permission", "not_host", words.noMoreHost.message, words.noMoreHost.hint);
      // The response to an earlier try may have been lost: then there is nothing left to change.
      if (Object.keys(changesOf(editOf(now), mine)).length === 0) return;
      catchUp(now);
      throw new AppError("conflict", "changed_meanwhile", words.changed, words.saveAgain);
    },
    onSuccess: () => {
      over.current = true;
      storeDraft(me, name, null);
      announce(words.saved);
      close();
    },
    onSettled: () =>
      Promise.all([["plan", plan.id], ["plans"]].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const takeTheirs = (field: PlanField) => {
    setDraft({ ...draft, [field]: base[field] });
    if (field === "vote_deadline") setDeadline(deadlineParts(base.vote_deadline, zone));
    setConflicts(conflicts.filter((other) => other !== field));
  };
  const seated = Math.max(2, seatsTaken(plan, now));

  return (
    <Form
      ref={form}
      noValidate
      className="flex flex-col gap-4"
      submit={(form) => {
        setAsked(true);
        if (Object.values(problems).every((problem) => problem === undefined)) save.mutate();
        else focusFirstProblem(form);
      }}
    >
      {restored && begun ? <DraftLine restored startOver={startOver} /> : null}
      {changed ? (
        <div role="status" className="paper flex flex-col gap-2 border-l-4 border-l-maybe p-3 text-sm">
          <p>
            {words.changed}{" "}
            {taken.length > 0 ? words.taken(listOf(taken.map((field) => words.fields[field]))) : ""}
          </p>
          {planFields
            .filter((field) => conflicts.includes(field))
            .map((field) => (
              <p key={field} className="flex flex-wrap items-center gap-2">
                {words.both(words.fields[field], formatValue(field, base, zone))}
                <Button onPress={() => takeTheirs(field)}>{words.takeTheirs}</Button>
              </p>
            ))}
        </div>
      ) : null}
      {textFields.map((field) => (
        <Field
          key={field}
          label={words.texts[field]}
          value={draft[field]}
          onChange={(text) => set({ [field]: text })}
          lines={planTexts[field].max > MOST_OF_ONE_LINE ? 3 : 1}
          // A text that is missing is told once it was to be saved.
          problem={asked || draft[field] !== "" ? problems[field] : undefined}
        />
      ))}
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 text-sm font-semibold">{words.deadline}</legend>
        <div className="grid grid-cols-2 gap-3">
          <Field
            label={words.deadlineDay}
            type="date"
            value={deadline.date}
            min={dateOf(Date.now(), zone)}
            onChange={(date) => setDeadline({ date, clock: deadline.clock || (date ? "20:00" : "") })}
            problem={asked ? problems.deadline : undefined}
          />
          <Field
            label={words.deadlineClock}
            type="time"
            value={deadline.clock}
            onChange={(clock) => setDeadline({ ...deadline, clock })}
          />
        </div>
        <p className="text-sm text-ink-soft">{words.deadlineHelp(cityOf(zone))}</p>
      </fieldset>
      {mine.vote_deadline === null ? null : (
        <DecidesItself on={draft.decides_itself} onChange={(on) => set({ decides_itself: on })} />
      )}
      <SeatsChoice
        words={words}
        value={draft.capacity}
        least={seated}
        onChange={(capacity) => set({ capacity })}
      />
      <OptionTicks options={draft} onChange={set} />
      {begun && !restored ? <DraftLine restored={false} startOver={startOver} /> : null}
      <Submit of={save}>{words.save}</Submit>
    </Form>
  );
}

function problemsOf(draft: PlanEdit, deadline: Deadline, base: Base) {
  const words = planWords().edit;
  const past =
    draft.vote_deadline !== null &&
    Date.parse(draft.vote_deadline) <= Date.now() &&
    Date.parse(draft.vote_deadline) !== Date.parse(base.vote_deadline ?? "");
  return {
    ...textsOf((field) => problemWith(ruleOf(field), draft[field])),
    deadline:
      (deadline.date === "") !== (deadline.clock === "")
        ? words.deadlineHalf
        : past
          ? words.deadlinePast
          : undefined,
  };
}

function textsOf<Value>(of: (field: PlanText) => Value): Record<PlanText, Value> {
  return Object.fromEntries(textFields.map((field) => [field, of(field)])) as Record<PlanText, Value>;
}

function deadlineParts(instant: string | null, zone: string): Deadline {
  return instant === null
    ? { date: "", clock: "" }
    : { date: dateOf(instant, zone), clock: wallClockOf(instant, zone) };
}

function deadlineOf({ date, clock }: Deadline, zone: string): string | null {
  return date && clock ? mealOn(date, clock, "00:00", zone)[0] : null;
}

function formatValue(field: PlanField, plan: PlanEdit, zone: string): string {
  const words = planWords().edit;
  const value = plan[field];
  if (value === null || value === "") return words.nothing;
  if (typeof value === "boolean") return value ? words.yes : words.no;
  return field === "vote_deadline" ? formatTime(String(value), zone, zone) : String(value);
}
