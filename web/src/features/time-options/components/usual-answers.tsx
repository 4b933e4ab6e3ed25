/**
 * Owns: the answers that a person's usual times suggest for a plan: a form that is filled in and not sent. None of
 * these answers counts as a vote until the person sends it.
 */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import type { Ballot } from "../../plans/answers.ts";
import { AnswerToggle } from "../../plans/components/answer-toggle.tsx";
import type { Plan } from "../../plans/schema.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import { usualQueries } from "../../usual-times/queries.ts";
import { usualAnswer } from "../../usual-times/usual.ts";
import { usualWords } from "../../usual-times/words.ts";

export function UsualAnswers({
  plan,
  me,
  now,
  viewerZone,
  answer,
}: {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  answer: (times: Ballot, spoken?: string) => void;
}) {
  const words = usualWords().offer;
  const usual = useQuery(usualQueries.mine(me)).data ?? [];
  const [changes, setChanges] = useState<Ballot>({});
  const [skipped, setSkipped] = useState(false);
  const rows = plan.time_options.flatMap((option) => {
    if (Date.parse(option.starts_at) <= now) return [];
    if (option.time_votes.some((vote) => vote.user_id === me)) return [];
    const suggested = usualAnswer(usual, option.starts_at, viewerZone);
    if (suggested === null) return [];
    return [{ option, value: option.id in changes ? (changes[option.id] ?? null) : suggested }];
  });
  if (skipped || rows.length === 0) return null;
  const ballot = Object.fromEntries(
    rows.flatMap(({ option, value }) => (value === null ? [] : [[option.id, value] as const])),
  );
  const count = Object.keys(ballot).length;
  return (
    <section
      aria-labelledby="usual-answers"
      className="rise flex flex-col gap-3 rounded-m border border-dashed border-edge bg-card-warm p-4"
    >
      <div>
        <h3 id="usual-answers" className="text-lg">
          {words.title}
        </h3>
        <p className="text-sm text-ink-soft">{words.text}</p>
      </div>
      <ul className="flex flex-col gap-3">
        {rows.map(({ option, value }) => {
          const title = formatTime(option.starts_at, plan.time_zone, viewerZone);
          return (
            <li key={option.id} className="flex flex-col gap-1">
              <span className="numerals">{title}</span>
              <AnswerToggle
                label={timeOptionWords().yourAnswerFor(title)}
                value={value}
                disabled={false}
                onChange={(given) => setChanges({ ...changes, [option.id]: given })}
              />
            </li>
          );
        })}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button look="action" isDisabled={count === 0} onPress={() => answer(ballot, words.sent(count))}>
          {words.send(count)}
        </Button>
        <Button look="plain" onPress={() => setSkipped(true)}>
          {words.skip}
        </Button>
      </div>
    </section>
  );
}
