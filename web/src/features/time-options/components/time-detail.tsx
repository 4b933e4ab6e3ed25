/** Owns: everyone's answers to one time, and removing the time. */
import { memo } from "react";
import { lengthOf } from "../../../lib/time.ts";
import { answers } from "../../plans/answers.ts";
import { AnswerMark } from "../../plans/components/answer-mark.tsx";
import { Withdraw } from "../../plans/components/withdraw.tsx";
import { withdrawTime } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan, TimeOption } from "../../plans/schema.ts";
import { tallyOf } from "../../plans/tally.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";

const groups = [...answers, "silent"] as const;

/** Memoised: it changes with the time it shows, not with a stroke. */
export const TimeDetail = memo(function TimeDetail({
  plan,
  me,
  option,
  title,
  hidden,
  busy,
  open,
  host,
}: {
  plan: Plan;
  me: string;
  option: TimeOption;
  title: string;
  hidden: boolean;
  /** Whether it collides with the viewer's own calendar. */
  busy: boolean;
  open: boolean;
  host: boolean;
}) {
  const words = timeOptionWords();
  const tally = tallyOf(option.time_votes, plan.plan_members);
  const out = tally.requiredOut.map((id) => firstName(plan, id));
  return (
    <section
      aria-label={words.detail.label(title)}
      className="paper @container flex flex-col gap-2 p-3 text-sm"
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="numerals text-base font-semibold">{title}</span>
        <span className="text-ink-soft">
          {lengthOf(option.starts_at, option.ends_at)}
          {option.proposed_by ? ` · ${words.detail.proposedBy(firstName(plan, option.proposed_by))}` : ""}
        </span>
      </p>
      {busy ? <p>{words.board.busy}</p> : null}
      {out.length > 0 && !hidden ? <p className="font-semibold">{words.board.requiredOut(out)}</p> : null}
      {hidden ? (
        <p className="text-ink-soft">{words.hidden}</p>
      ) : (
        <ul className="grid gap-x-4 gap-y-1 @sm:grid-cols-2">
          {groups.map((group) =>
            tally[group].length > 0 ? (
              <li key={group} className="flex items-start gap-2">
                <span className="pt-0.5">
                  <AnswerMark answer={group === "silent" ? null : group} size={16} />
                </span>
                <span>
                  <span className="font-semibold">
                    {group === "silent" ? words.noAnswer : words.heat[group]}
                  </span>{" "}
                  {tally[group].map((id) => firstName(plan, id)).join(", ")}
                </span>
              </li>
            ) : null,
          )}
        </ul>
      )}
      {open && (host || option.proposed_by === me) ? (
        <Withdraw
          planId={plan.id}
          withdraw={() => withdrawTime(option.id)}
          votes={option.time_votes.length}
          words={words.remove}
        />
      ) : null}
    </section>
  );
});
