/** Owns: the lines below a question of the vote: its deadline, and who has not answered yet. */

import { saidNo } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import type { Question } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { formatRelative, formatTime } from "../../../lib/time.ts";
import { isVotingClosed, stateOf, timesAnswered } from "../domain.ts";
import { firstName } from "../names.ts";
import type { Plan } from "../schema.ts";
import type { TabProps } from "../tab-props.ts";
import { acceptsAnswers, areHidden, partlyAnswered, waitedFor } from "../tally.ts";
import { tableWords } from "../words/table.ts";
import { timeOptionWords } from "../words/time-options.ts";

interface WaitingProps extends Pick<TabProps, "plan" | "me" | "now" | "viewerZone"> {
  question: Question;
}

export function Waiting({ plan, me, now, viewerZone, question }: WaitingProps) {
  const words = timeOptionWords();
  if (stateOf(plan, now) !== "polling") return null;
  const deadline = plan.vote_deadline;
  const when = deadline && formatTime(deadline, plan.time_zone, viewerZone);
  const answered = question === "times" ? timesAnswered(plan, me) : 0;
  const lines = [
    deadline && when
      ? isVotingClosed(plan, now)
        ? words.closed(when)
        : words.closes(when, formatRelative(deadline, now, plan.time_zone))
      : null,
    missingText(plan, me, now, question),
    answered > 0 && answered < plan.time_options.length
      ? `${tableWords().card.youAnswered(answered, plan.time_options.length)}.`
      : null,
  ].filter((line) => line !== null);
  return lines.length > 0 ? <p className="text-sm text-ink-soft wrap-anywhere">{lines.join(" ")}</p> : null;
}

/** Whether someone has answered is visible even where the answers are hidden. */
export function missingText(plan: Plan, me: string, now: number, question: Question): string | null {
  if (!acceptsAnswers(plan, now)) return null;
  const words = timeOptionWords();
  const missing = waitedFor(plan, now, question);
  const others = missing.filter((member) => member.user_id !== me);
  const named = others.slice(0, others.length > 4 ? 3 : 4).map((member) => firstName(plan, member.user_id));
  if (others.length > 0) return words.waitingFor(named, others.length - named.length, question);
  const all = plan.plan_members.filter((member) => !saidNo(member)).length;
  if (missing.length > 0 || all < 2) return null;
  const left = waitedFor(plan, now).length;
  const partly = areHidden(plan, me) ? 0 : partlyAnswered(plan, now, question);
  return left > 0 ? words.answeredBut(all, partly, left, question) : words.allAnswered(partly, question);
}
