/** Owns: a new plan's options: deadline, seats, who may suggest, and when answers show. */
import { dateOf, dayOf } from "../../../lib/time.ts";
import { Field } from "../../../ui/fields/field.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { Fold } from "../../../ui/fold.tsx";
import { deadlineOf, type Rules } from "../rules.ts";
import { newPlanWords } from "../words.ts";
import { DecidesItself } from "./decides-itself.tsx";
import { OptionTicks } from "./option-ticks.tsx";
import { SeatsChoice } from "./seats-choice.tsx";

const days = [1, 2, 3, 5, 7] as const;

export function RulesField({
  rules,
  onChange,
  zone,
  now,
}: {
  rules: Rules;
  onChange: (rules: Rules) => void;
  zone: string;
  now: number;
}) {
  const words = newPlanWords().how;
  const set = (change: Partial<Rules["options"]>) =>
    onChange({ ...rules, options: { ...rules.options, ...change } });
  const last = deadlineOf(rules, zone, now);
  const day = last ? dayOf(last, zone) : words.exact;
  const deadline = rules.until === null ? words.noDeadline : `${words.deadline} ${day}`;
  const seats = rules.capacity === null ? "" : ` · ${words.seats(rules.capacity)}`;
  return (
    <Fold title={words.legend} summary={`${deadline}${seats}`}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={words.deadline}
          value={String(rules.until ?? "")}
          options={[
            ["", words.noDeadline],
            ...days.map((each) => [String(each), words.inDays(each)] as const),
            ["exact", words.exact],
          ]}
          onChange={(value) =>
            onChange({ ...rules, until: value === "" ? null : value === "exact" ? "exact" : Number(value) })
          }
        />
        <SeatsChoice
          words={words}
          value={rules.capacity}
          least={2}
          onChange={(capacity) => onChange({ ...rules, capacity })}
        />
      </div>
      {rules.until === "exact" ? (
        <div className="grid grid-cols-2 gap-3">
          <Field
            label={words.exactDay}
            type="date"
            value={rules.date}
            min={dateOf(now, zone)}
            onChange={(date) => onChange({ ...rules, date })}
          />
          <Field
            label={words.exactClock}
            type="time"
            value={rules.clock}
            onChange={(clock) => onChange({ ...rules, clock })}
          />
        </div>
      ) : null}
      {rules.until === null ? null : (
        <DecidesItself
          on={rules.options.decides_itself}
          onChange={(decides_itself) => set({ decides_itself })}
        />
      )}
      <OptionTicks options={rules.options} onChange={set} />
    </Fold>
  );
}
