/** Owns: the panel "What if": the ranking without a person, or as if they said yes. Nothing of it is saved. */
import { useId, useState } from "react";
import { listOf } from "../../../lib/i18n/words.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { One, OneOf } from "../../../ui/fields/one-of.tsx";
import { faceOf } from "../../people/queries.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import type { WhatIf, WhatIfAnswer } from "../ranking.ts";
import { bestWords } from "../words.ts";

const supposals = ["asAnswered", "without", "yes"] as const;

export function WhatIfPanel({
  plan,
  whatIf,
  onChange,
}: {
  plan: Plan;
  whatIf: WhatIf;
  onChange: (whatIf: WhatIf) => void;
}) {
  const words = bestWords().whatIf;
  const panel = useId();
  const [open, setOpen] = useState(false);
  const change = (person: string, supposed: WhatIfAnswer | null) => {
    const { [person]: _before, ...rest } = whatIf;
    onChange(supposed ? { ...rest, [person]: supposed } : rest);
  };
  const active = Object.entries(whatIf).map(([person, supposed]) => {
    const name = firstName(plan, person);
    return supposed === "yes" ? words.yesName(name) : words.withoutName(name);
  });
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button
          look="plain"
          aria-expanded={open}
          aria-controls={panel}
          onPress={() => setOpen(!open)}
          className="-ml-1 font-display text-lg"
        >
          {words.title}
        </Button>
        {active.length > 0 ? (
          <Button onPress={() => onChange({})}>{words.reset}</Button>
        ) : (
          <p className="text-sm text-ink-soft">{words.hint}</p>
        )}
      </div>
      <p role="status" className="text-sm empty:hidden">
        {active.length > 0 ? words.active(listOf(active)) : null}
      </p>
      {open ? (
        <ul id={panel} className="flex flex-col gap-2">
          {plan.plan_members.map((member) => {
            const name = firstName(plan, member.user_id);
            return (
              <li key={member.user_id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="flex min-w-28 flex-1 items-center gap-2">
                  <Avatar face={faceOf(member.user_id, member.profiles)} size={28} />
                  {name}
                </span>
                <OneOf
                  aria-label={words.of(name)}
                  disallowEmptySelection
                  selectedKeys={[whatIf[member.user_id] ?? "asAnswered"]}
                  onSelectionChange={(keys) => {
                    const [key] = keys;
                    change(member.user_id, key === "yes" || key === "without" ? key : null);
                  }}
                  className="flex overflow-hidden rounded-full border border-edge"
                >
                  {supposals.map((supposal) => (
                    <One
                      key={supposal}
                      id={supposal}
                      className="min-h-9 cursor-pointer px-2.5 text-sm whitespace-nowrap outline-offset-[-3px] transition-colors duration-150 not-first:border-l not-first:border-line hover:bg-card-warm data-[selected]:bg-ink data-[selected]:text-card"
                    >
                      {words[supposal]}
                    </One>
                  ))}
                </OneOf>
              </li>
            );
          })}
        </ul>
      ) : null}
    </section>
  );
}
