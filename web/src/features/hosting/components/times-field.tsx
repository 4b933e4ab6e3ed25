/** Owns: choosing the times of a new plan: quick picks, several at once, or one by one. */
import { useId, useState } from "react";
import { ToggleButton } from "react-aria-components";
import { cityOf, clockOf, dateOf, dayOf, formatTime, leafOf, lengthOf, spanOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Fold } from "../../../ui/fold.tsx";
import { CheckIcon } from "../../../ui/icons.ts";
import { dayAfter, mealOn } from "../../plans/meal.ts";
import {
  isOver,
  isWhole,
  keyOfTime,
  type LocalTime,
  MOST_TIMES,
  timesOf,
  upcomingEvenings,
  withTimes,
} from "../plan-defaults.ts";
import { newPlanWords } from "../words.ts";

interface TimesFieldProps {
  times: readonly LocalTime[];
  onChange: (times: LocalTime[]) => void;
  zone: string;
  now: number;
}

const starts = ["12:00", "13:00", "18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "21:00"] as const;
const lengths = [90, 120, 150, 180, 240] as const;
const DAYS_SHOWN = 21;

const chip =
  "numerals inline-flex min-h-11 cursor-pointer items-center justify-center gap-1.5 rounded-full border border-edge " +
  "bg-card px-3.5 text-sm transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent " +
  "data-[selected]:bg-ink data-[selected]:text-card";

export function TimesField({ times, onChange, zone, now }: TimesFieldProps) {
  const words = newPlanWords().when;
  const announce = useAnnounce();
  const [many, setMany] = useState(false);
  const panel = useId();
  const chosen = new Set(times.map(keyOfTime));
  const full = times.length >= MOST_TIMES;
  const add = (more: readonly LocalTime[]) => {
    const next = withTimes(times, more).slice(0, MOST_TIMES);
    announce(words.added(next.length - times.length));
    onChange(next);
  };
  const last = times.at(-1);
  return (
    <fieldset className="flex min-w-0 flex-col gap-4">
      <legend className="mb-2 font-display text-lg">{words.legend}</legend>
      <div className="flex flex-col gap-2">
        <p className="text-sm font-semibold">{words.quick}</p>
        <div className="flex flex-wrap gap-2">
          {upcomingEvenings(now, zone).map((time) => {
            const selected = chosen.has(keyOfTime(time));
            return (
              <ToggleButton
                key={keyOfTime(time)}
                isSelected={selected}
                isDisabled={full && !selected}
                onChange={(on) =>
                  onChange(
                    on
                      ? withTimes(times, [time])
                      : times.filter((other) => keyOfTime(other) !== keyOfTime(time)),
                  )
                }
                className={chip}
              >
                {selected ? <CheckIcon aria-hidden className="size-4" /> : null}
                {say(time, zone)}
              </ToggleButton>
            );
          })}
        </div>
      </div>
      <p className="text-sm font-semibold empty:hidden" role="status">
        {full ? words.tooMany : times.length === 0 ? words.none : ""}
      </p>
      <Fold
        title={words.chosen(times.length)}
        summary={words.changeOrAdd}
        needed={times.some((time) => isWhole(time) && isOver(time, zone, now))}
      >
        <ul className="flex flex-col gap-2 empty:hidden">
          {times.map((time, index) => (
            <TimeLine
              // biome-ignore lint/suspicious/noArrayIndexKey: a time that is being changed stays the same line
              key={index}
              time={time}
              index={index}
              zone={zone}
              now={now}
              onChange={(changed) => onChange(times.map((other, at) => (at === index ? changed : other)))}
              onRemove={() => onChange(times.filter((_, at) => at !== index))}
            />
          ))}
        </ul>
        <div className="flex flex-wrap gap-3">
          <Button
            isDisabled={full}
            onPress={() =>
              onChange(
                last ? [...times, { ...last, date: dayAfter(last.date) }] : upcomingEvenings(now, zone, 1),
              )
            }
          >
            {words.another}
          </Button>
          <Button aria-expanded={many} aria-controls={panel} onPress={() => setMany(!many)}>
            {words.many}
          </Button>
        </div>
        {many ? (
          <div id={panel}>
            <ManyTimes zone={zone} now={now} room={MOST_TIMES - times.length} add={add} chosen={chosen} />
          </div>
        ) : null}
        <p className="text-sm text-ink-soft">{words.clock(cityOf(zone))}</p>
      </Fold>
    </fieldset>
  );
}

function ManyTimes({
  zone,
  now,
  room,
  add,
  chosen,
}: {
  zone: string;
  now: number;
  room: number;
  add: (times: LocalTime[]) => void;
  chosen: ReadonlySet<string>;
}) {
  const words = newPlanWords().when;
  const [days, setDays] = useState<readonly string[]>([]);
  const [clocks, setClocks] = useState<readonly string[]>([]);
  const [minutes, setMinutes] = useState<number>(150);
  const tomorrow = dayAfter(dateOf(now, zone));
  const offered = Array.from({ length: DAYS_SHOWN }, (_, index) => dayAfter(tomorrow, index));
  const made = timesOf(days, clocks, minutes).filter((time) => !chosen.has(keyOfTime(time)));
  const toggle = (list: readonly string[], value: string, on: boolean) =>
    on ? [...list, value] : list.filter((other) => other !== value);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-ink-soft">{words.manyHelp}</p>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="mb-2 text-sm font-semibold">{words.days}</legend>
        <div className="grid grid-cols-7 gap-1 sm:gap-1.5">
          {offered.map((date) => {
            const noon = mealOn(date, "12:00", "13:00", zone)[0];
            const leaf = leafOf(noon, zone);
            return (
              <ToggleButton
                key={date}
                isSelected={days.includes(date)}
                onChange={(on) => setDays(toggle(days, date, on))}
                className="numerals flex min-h-14 cursor-pointer flex-col items-center justify-center rounded-s border border-edge bg-card leading-tight transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card"
              >
                <span className="text-xs">{leaf.weekday}</span>
                <span className="text-base font-semibold">{leaf.day}</span>
                <span className="text-xs">{leaf.month}</span>
              </ToggleButton>
            );
          })}
        </div>
      </fieldset>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="mb-2 text-sm font-semibold">{words.hours}</legend>
        <div className="flex flex-wrap gap-1.5">
          {starts.map((clock) => (
            <ToggleButton
              key={clock}
              isSelected={clocks.includes(clock)}
              onChange={(on) => setClocks(toggle(clocks, clock, on))}
              className={chip}
            >
              {clockOf(mealOn(tomorrow, clock, "00:00", zone)[0], zone)}
            </ToggleButton>
          ))}
        </div>
      </fieldset>
      <label className="flex flex-wrap items-center gap-2 text-sm font-semibold">
        {words.length}
        <select
          value={minutes}
          onChange={(event) => setMinutes(Number(event.target.value))}
          className="min-h-11 rounded-s border border-edge bg-card px-3 font-normal"
        >
          {lengths.map((each) => (
            <option key={each} value={each}>
              {lengthOf("2026-01-01T00:00:00Z", new Date(Date.UTC(2026, 0, 1, 0, each)).toISOString())}
            </option>
          ))}
        </select>
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          isDisabled={made.length === 0 || made.length > room}
          onPress={() => {
            add(made);
            setDays([]);
          }}
        >
          {words.add(made.length)}
        </Button>
        <p className="text-sm text-ink-soft" role="status">
          {made.length > room ? words.tooMany : made.length === 0 ? words.pickBoth : ""}
        </p>
      </div>
    </div>
  );
}

function TimeLine({
  time,
  index,
  zone,
  now,
  onChange,
  onRemove,
}: {
  time: LocalTime;
  index: number;
  zone: string;
  now: number;
  onChange: (time: LocalTime) => void;
  onRemove: () => void;
}) {
  const words = newPlanWords().when;
  const [open, setOpen] = useState(false);
  const panel = useId();
  const whole = isWhole(time);
  const label = whole ? sayWhole(time, zone) : words.day(index + 1);
  return (
    <li className="paper flex flex-col gap-3 px-3 py-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={panel}
          aria-label={words.change(label)}
          onClick={() => setOpen(!open)}
          className="numerals min-h-11 cursor-pointer text-left underline decoration-line decoration-2 underline-offset-4 hover:decoration-action"
        >
          {label}
        </button>
        <Button look="plain" onPress={onRemove} aria-label={words.remove(label)}>
          <span className="text-sm">{words.removeShort}</span>
        </Button>
      </div>
      {whole && isOver(time, zone, now) ? (
        <p role="alert" className="text-sm font-semibold text-action">
          {words.past}
        </p>
      ) : null}
      {open ? (
        <div id={panel} className="grid grid-cols-2 gap-3 pb-2 sm:grid-cols-[1fr_auto_auto]">
          <div className="col-span-2 sm:col-span-1">
            <Field
              label={words.day(index + 1)}
              type="date"
              value={time.date}
              onChange={(date) => onChange({ ...time, date })}
            />
          </div>
          <Field
            label={words.from}
            type="time"
            value={time.from}
            onChange={(from) => onChange({ ...time, from })}
          />
          <Field
            label={words.until}
            type="time"
            value={time.until}
            onChange={(until) => onChange({ ...time, until })}
          />
        </div>
      ) : null}
    </li>
  );
}

function sayWhole(time: LocalTime, zone: string): string {
  const [startsAt, endsAt] = mealOn(time.date, time.from, time.until, zone);
  return `${dayOf(startsAt, zone)}, ${spanOf(startsAt, endsAt, zone).join("–")}`;
}

function say(time: LocalTime, zone: string): string {
  return formatTime(mealOn(time.date, time.from, time.until, zone)[0], zone, zone);
}
