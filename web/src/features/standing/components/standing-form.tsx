/** Owns: the form of a standing dinner: setting it up, changing and ending it. */
import { useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { problemWith, text } from "../../../lib/rules.ts";
import { browserZone, dateOf, instantOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem } from "../../../ui/fields/form.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import {
  endStanding,
  rhythms,
  rotations,
  type StandingDinner,
  type StandingDraft,
  saveStanding,
  standingQueries,
} from "../queries.ts";
import { standingWords } from "../words.ts";

const lengths = [90, 120, 150, 180] as const;
const DAY_MS = 86_400_000;
/** The same rule as for a plan's title, because the dinner's plans have this title. */
const name = text({
  min: 1,
  max: 80,
  missing: () => standingWords().form.nameMissing,
  long: () => standingWords().form.nameLong,
});

export function StandingForm({
  circle,
  dinner,
  close,
}: {
  circle: string;
  dinner: StandingDinner | null;
  close: () => void;
}) {
  const words = standingWords().form;
  const announce = useAnnounce();
  const [asked, setAsked] = useState(false);
  const [ending, setEnding] = useState(false);
  const [draft, setDraft] = useState<StandingDraft>(() =>
    dinner
      ? { ...draftOf(dinner), first_on: dinner.next_on, starts_at: dinner.starts_at.slice(0, 5) }
      : {
          title: "",
          rhythm: "weekly",
          rotation: "longest_ago",
          first_on: dateOf(Date.now() + 7 * DAY_MS, browserZone()),
          starts_at: "19:30",
          minutes: 120,
          time_zone: browserZone(),
        },
  );
  const set = (part: Partial<StandingDraft>) => setDraft({ ...draft, ...part });
  const problems = {
    title: problemWith(name, draft.title),
    day: isAhead(draft) ? undefined : words.dayMissing,
  };
  const change = useChange((run: () => Promise<unknown>) => run(), standingQueries.of(circle).queryKey);
  const run = (what: () => Promise<unknown>, said: string) =>
    change.mutate(async () => {
      await what();
      announce(said);
      close();
    });
  if (ending && dinner) {
    return (
      <div className="flex flex-col gap-4">
        <p>{words.endAsk}</p>
        {change.isError ? <ErrorNotice error={change.error} /> : null}
        <div className="flex flex-wrap gap-2">
          <Button
            look="action"
            busy={change.isPending}
            onPress={() => run(() => endStanding(dinner.id), words.ended)}
          >
            {words.endDo}
          </Button>
          <Button autoFocus onPress={() => setEnding(false)}>
            {words.back}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={(form) => {
        setAsked(true);
        if (problems.title === undefined && problems.day === undefined) {
          run(
            () => saveStanding(circle, dinner?.id ?? null, { ...draft, title: draft.title.trim() }),
            words.saved,
          );
        } else focusFirstProblem(form);
      }}
    >
      <Field
        label={words.name}
        value={draft.title}
        onChange={(title) => set({ title })}
        placeholder={words.example}
        problem={asked ? problems.title : undefined}
      />
      <Select
        label={words.rhythm}
        value={draft.rhythm}
        options={rhythms.map((each) => [each, words.rhythms[each]])}
        onChange={(rhythm) => set({ rhythm })}
      />
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={words.first}
          type="date"
          min={dateOf(Date.now(), draft.time_zone)}
          value={draft.first_on}
          onChange={(first_on) => set({ first_on })}
          problem={asked ? problems.day : undefined}
        />
        <Field
          label={words.clock}
          type="time"
          value={draft.starts_at}
          onChange={(starts_at) => set({ starts_at })}
        />
      </div>
      <Select
        label={words.length}
        value={String(draft.minutes)}
        options={lengths.map((each) => [String(each), words.lengths[each]])}
        onChange={(value) => set({ minutes: Number(value) })}
      />
      <Select
        label={words.host}
        value={draft.rotation}
        options={rotations.map((each) => [each, words.hosts[each]])}
        onChange={(rotation) => set({ rotation })}
      />
      <p className="text-sm text-ink-soft">{words.help}</p>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="action" busy={change.isPending}>
          {words.save}
        </Button>
        {dinner ? (
          <Button look="plain" onPress={() => setEnding(true)}>
            {words.end}
          </Button>
        ) : null}
      </div>
    </Form>
  );
}

function draftOf({
  title,
  rhythm,
  rotation,
  first_on,
  starts_at,
  minutes,
  time_zone,
}: StandingDinner): StandingDraft {
  return { title, rhythm, rotation, first_on, starts_at, minutes, time_zone };
}

function isAhead({ first_on, starts_at, time_zone }: StandingDraft): boolean {
  if (!first_on || !starts_at) return false;
  return Date.parse(instantOf(first_on, starts_at, time_zone)) > Date.now();
}
