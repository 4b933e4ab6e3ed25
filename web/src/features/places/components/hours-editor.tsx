/** Owns: editing a week of opening hours, with "same as the day before" for repeated days. */
import { weekdayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { inputLook } from "../../../ui/fields/field.tsx";
import { type Span, type Week, weekdayName, weekdays } from "../hours.ts";
import { placeFormWords } from "../words/form.ts";

/** The default for a first opening. */
const EVENING: Span = { opens: "18:00", closes: "23:00" };
const LUNCH: Span = { opens: "12:00", closes: "15:00" };
/** Maximum number of openings on one day. */
const MOST_A_DAY = 4;

export function HoursEditor({
  week,
  onChange,
  problem,
  problemDay,
}: {
  week: Week;
  onChange: (week: Week) => void;
  problem: string | undefined;
  /** 1 to 7. */
  problemDay: number | undefined;
}) {
  const words = placeFormWords();
  const set = (day: number, spans: Span[]) =>
    onChange(week.map((before, index) => (index === day ? spans : before)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="font-display text-lg">{words.hours}</legend>
      <p className="mb-2 text-sm text-ink-soft">{words.hoursHelp}</p>
      {weekdays.map((weekday, day) => {
        const name = weekdayName(weekday, weekdayOf);
        const before = weekdayName(day === 0 ? 7 : day, weekdayOf);
        const spans = week[day] ?? [];
        const last = week[(day + 6) % 7] ?? [];
        const wrong = problemDay === weekday ? problem : undefined;
        return (
          <div
            key={weekday}
            className="grid grid-cols-1 gap-x-4 gap-y-1 border-b border-line py-2 sm:grid-cols-[8rem_1fr]"
          >
            <p className="flex min-h-11 items-center font-semibold">{name}</p>
            <div className="flex flex-col gap-2">
              {spans.map((span, index) => (
                <div
                  // biome-ignore lint/suspicious/noArrayIndexKey: spans have no name, and typing must keep the focus
                  key={index}
                  className="flex flex-wrap items-center gap-x-2 gap-y-1"
                >
                  <Clock
                    label={words.opens(name)}
                    value={span.opens}
                    wrong={wrong !== undefined}
                    onChange={(opens) => set(day, spans.with(index, { ...span, opens }))}
                  />
                  <span aria-hidden>–</span>
                  <Clock
                    label={words.closes(name)}
                    value={span.closes}
                    wrong={wrong !== undefined}
                    onChange={(closes) => set(day, spans.with(index, { ...span, closes }))}
                  />
                  <Button
                    look="plain"
                    aria-label={words.remove(name, span.opens)}
                    onPress={() => set(day, spans.toSpliced(index, 1))}
                  >
                    <span className="text-sm">{words.removeShort}</span>
                  </Button>
                </div>
              ))}
              {wrong ? (
                <p role="alert" className="text-sm font-semibold text-action">
                  {wrong}
                </p>
              ) : null}
              <div className="flex min-h-11 flex-wrap items-center gap-x-2">
                {spans.length === 0 ? <span className="text-sm text-ink-soft">{words.closed}</span> : null}
                {spans.length < MOST_A_DAY ? (
                  <Button
                    look="plain"
                    aria-label={words.addSpan(name)}
                    onPress={() =>
                      set(day, [...spans, spans.some(({ opens }) => opens >= "16:00") ? LUNCH : EVENING])
                    }
                  >
                    <span className="text-sm">{words.addShort}</span>
                  </Button>
                ) : null}
                {last.length > 0 ? (
                  <Button
                    look="plain"
                    aria-label={words.sameAsFor(name, before)}
                    onPress={() =>
                      set(
                        day,
                        last.map((span) => ({ ...span })),
                      )
                    }
                  >
                    <span className="text-sm">{words.sameAs(before)}</span>
                  </Button>
                ) : null}
              </div>
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

function Clock({
  label,
  value,
  wrong,
  onChange,
}: {
  label: string;
  value: string;
  wrong: boolean;
  onChange: (clock: string) => void;
}) {
  return (
    <span className="min-w-0 flex-1 basis-32 sm:max-w-36">
      <input
        type="time"
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={wrong || undefined}
        className={`${inputLook} px-2`}
      />
    </span>
  );
}
