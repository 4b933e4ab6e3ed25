/**
 * Owns: giving a decided plan another time or place: one of its own, or a time that is added here. The current pair is marked, also while another host
 * changes it; what the database would refuse is said before.
 */
import { type ReactNode, useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { browserZone, clockOf, dayOf, formatTime, lengthOf, yourTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { type Choice, changeChoice, hasChosen } from "../../plans/choices.ts";
import { ProposeTimeForm } from "../../plans/components/propose-time-form.tsx";
import { unsafeText } from "../../plans/diet-texts.ts";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import { useRatings } from "../../plans/eaten.ts";
import { firstName } from "../../plans/names.ts";
import { refusedByAll, unwillingAt } from "../../plans/refused.ts";
import type { Plan } from "../../plans/schema.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";
import { planWords } from "../../plans/words/plan.ts";
import { tableWords } from "../../plans/words/table.ts";
import { futureTimes, turnoutOf, verdictOn } from "../choice.ts";

/** The id of the option that leaves the place to be decided. */
const OPEN = "open";

interface ChangeFormProps {
  plan: Plan;
  me: string;
  now: number;
  close: () => void;
}

export function ChangeForm({ plan, me, now, close }: ChangeFormProps) {
  const words = planWords().change;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const zone = browserZone();
  const times = futureTimes(plan, now);
  const current: Choice = { time: plan.chosen_time_id ?? "", place: plan.chosen_place_id };
  /** The choice that the host began with; another host may change it meanwhile. */
  const [before] = useState(current);
  const [time, setTime] = useState(times.some(({ id }) => id === current.time) ? current.time : null);
  const [place, setPlace] = useState(current.place);
  /** The times before the host began to add one; the new one is selected when it is there. */
  const [known, setKnown] = useState<readonly string[] | null>(null);
  const [adding, setAdding] = useState(false);
  const added = known && !adding ? times.find(({ id }) => !known.includes(id)) : undefined;
  if (added) {
    setKnown(null);
    setTime(added.id);
  }
  const outrun = current.time !== before.time || current.place !== before.place;
  const same = time === current.time && place === current.place;
  const ratings = useRatings();
  const verdict = verdictOn(plan, { time, place }, ratings);
  const refused = refusedByAll(
    plan,
    times.find(({ id }) => id === time),
  );
  /** The reasons against a choice that the host may make all the same. */
  const doubts =
    same || verdict.closed
      ? []
      : [refused ? words.refused : null, verdict.unsafe.length > 0 ? words.unsafe : null].filter(
          (doubt) => doubt !== null,
        );
  const change = () => {
    if (time === null || same || verdict.closed) return;
    const wanted = { time, place };
    action.mutate(async () => {
      await makeOnce(
        plan.id,
        () =>
          changeChoice(
            plan.id,
            current,
            wanted,
            verdict.unsafe.map(({ person }) => person),
          ),
        hasChosen(wanted),
      );
      // Here, because the ticket shows it as soon as the plan is read again.
      announce(words.done);
      close();
    });
  };
  if (adding) return <ProposeTimeForm plan={plan} me={me} close={() => setAdding(false)} />;
  return (
    <Form noValidate className="flex flex-col gap-5" submit={change}>
      <p className="text-ink-soft">
        {current.place === null && time === current.time ? words.onlyPlace : words.text}
      </p>
      <p role="status" className="empty:hidden">
        {outrun ? (
          <span className="paper block border-l-4 border-l-maybe px-4 py-2">
            {words.outrun(choiceText(plan, zone))}
          </span>
        ) : null}
      </p>
      <Options label={words.when} value={time} onChange={setTime}>
        {times.map((option) => {
          const turnout = turnoutOf(plan, option, now);
          return (
            <Option
              key={option.id}
              id={option.id}
              name={
                <span className="numerals">
                  {dayOf(option.starts_at, plan.time_zone)}, {clockOf(option.starts_at, plan.time_zone)}
                </span>
              }
              current={option.id === current.time}
              warnings={[refusedByAll(plan, option) ? words.refused : null]}
              notes={[
                yourTime(option.starts_at, plan.time_zone, zone),
                lengthOf(option.starts_at, option.ends_at),
                words.turnout(turnout.can, turnout.asked),
              ]}
            />
          );
        })}
      </Options>
      <Button
        className="-mt-3 self-start"
        onPress={() => {
          setKnown(times.map(({ id }) => id));
          setAdding(true);
        }}
      >
        {words.anotherTime}
      </Button>
      <Options label={words.where} value={place ?? OPEN} onChange={(id) => setPlace(id === OPEN ? null : id)}>
        {plan.place_options.map((option) => {
          const there = verdictOn(plan, { time, place: option.id }, ratings);
          const unwilling = unwillingAt(plan, time, option.id).map((one) => firstName(plan, one));
          return (
            <Option
              key={option.id}
              id={option.id}
              name={option.places?.name ?? ""}
              current={option.id === current.place}
              warnings={[
                there.closed ? words.closed : null,
                unwilling.length > 0 ? placeOptionWords().refused(unwilling) : null,
                unsafeText(plan, there.unsafe),
              ]}
              notes={[option.places?.address]}
            />
          );
        })}
        <Option id={OPEN} name={tableWords().placeOpen} current={current.place === null} notes={[]} />
      </Options>
      <div className="sticky bottom-0 z-10 -mx-6 -mb-6 flex flex-col gap-3 border-t border-line bg-card px-6 py-4">
        {action.isError ? <ErrorNotice error={action.error} /> : null}
        <p role="status" className="text-sm empty:hidden">
          {verdict.closed ? words.closedThen : doubts.join(" ")}
        </p>
        <Button
          type="submit"
          look="action"
          busy={action.isPending}
          isDisabled={time === null || same || verdict.closed}
        >
          {doubts.length > 0 ? words.doAnyway : words.do}
        </Button>
      </div>
    </Form>
  );
}

function Options({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string | null;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  return (
    <RadioGroup value={value} onChange={onChange} className="flex flex-col gap-2">
      <Label className="text-sm font-semibold">{label}</Label>
      {children}
    </RadioGroup>
  );
}

function Option({
  id,
  name,
  current,
  warnings = [],
  notes,
}: {
  id: string;
  name: ReactNode;
  current: boolean;
  /** The reason against it. */
  warnings?: readonly (string | null)[];
  notes: readonly (string | null | undefined)[];
}) {
  const words = planWords().change;
  return (
    <Radio
      value={id}
      className="group flex min-h-11 cursor-pointer items-center gap-3 rounded-m border border-edge px-3 py-2 transition-colors duration-150 hover:bg-card-warm data-[selected]:border-ink data-[selected]:bg-card-warm"
    >
      <span
        aria-hidden
        className="grid size-5 shrink-0 place-items-center rounded-full border border-edge bg-card group-data-[selected]:border-ink"
      >
        <span className="hidden size-2.5 rounded-full bg-ink group-data-[selected]:block" />
      </span>
      <span className="min-w-0 flex-1 leading-snug">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-semibold break-words">{name}</span>
          {current ? <span className="text-sm text-yes">{words.current}</span> : null}
        </span>
        <span className="block text-sm font-semibold empty:hidden">
          {warnings.filter((warning) => warning).join(" · ")}
        </span>
        <span className="block text-sm text-ink-soft">{notes.filter((note) => note).join(" · ")}</span>
      </span>
    </Radio>
  );
}

/** "Momo Sete, Fri 27 Nov, 19:30" */
function choiceText(plan: Plan, viewerZone: string): string {
  const time = chosenTime(plan);
  const when = time ? formatTime(time.starts_at, plan.time_zone, viewerZone) : "";
  return [chosenPlace(plan)?.name ?? tableWords().placeOpen, when].filter((part) => part).join(", ");
}
