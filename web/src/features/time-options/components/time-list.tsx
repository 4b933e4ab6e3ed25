/** Owns: the times as a list: each with its heat, its tally, and the three answer buttons. */
import { formatTime, leafOf, lengthOf, otherClock, spanOf } from "../../../lib/time.ts";
import { Faces } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { faceOf } from "../../people/queries.ts";
import type { Answer } from "../../plans/answers.ts";
import { AnswerMark } from "../../plans/components/answer-mark.tsx";
import { AnswerToggle } from "../../plans/components/answer-toggle.tsx";
import { firstName } from "../../plans/names.ts";
import type { TimeOption } from "../../plans/schema.ts";
import { tallyOf } from "../../plans/tally.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import { TimeDetail } from "./time-detail.tsx";
import type { TimesProps } from "./times-props.ts";

export function TimeList(props: TimesProps) {
  return (
    <ul className="flex flex-col gap-3">
      {props.plan.time_options.map((option) => (
        <TimeRow key={option.id} option={option} {...props} />
      ))}
    </ul>
  );
}

function TimeRow({
  option,
  plan,
  me,
  now,
  zone,
  open,
  host,
  hidden,
  only,
  busy,
  answer,
}: TimesProps & { option: TimeOption }) {
  const words = timeOptionWords();
  const leaf = leafOf(option.starts_at, zone);
  const [from, until] = spanOf(option.starts_at, option.ends_at, zone);
  const mine = option.time_votes.find((vote) => vote.user_id === me)?.answer ?? null;
  const tables = otherClock(option.starts_at, zone, plan.time_zone);
  const chosen = plan.chosen_time_id === option.id;
  const over = Date.parse(option.starts_at) <= now;
  const tally = tallyOf(option.time_votes, plan.plan_members);
  const out = tally.requiredOut.map((id) => firstName(plan, id));
  const title = formatTime(option.starts_at, plan.time_zone, zone);
  const faces = plan.plan_members
    .filter((member) => tally.yes.includes(member.user_id))
    .map((member) => faceOf(member.user_id, member.profiles));
  return (
    <li
      className={`paper @container grid grid-cols-[auto_1fr] gap-x-4 gap-y-3 p-4 ${chosen ? "border-yes" : ""} ${over ? "opacity-70" : ""}`}
    >
      <div className="numerals flex w-14 flex-col items-center self-start border-r border-dashed border-edge pr-3 leading-none">
        <span className="text-sm text-ink-soft">{leaf.weekday}</span>
        <span className="text-xl font-semibold">{leaf.day}</span>
        <span className="text-sm text-ink-soft">{leaf.month}</span>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div>
          <h3 className="numerals text-lg leading-tight">
            {from}
            <span className="text-ink-soft">–{until}</span>
          </h3>
          <p className="text-sm text-ink-soft">
            {[
              lengthOf(option.starts_at, option.ends_at),
              tables && words.zone.there(tables),
              chosen ? words.chosen : null,
              over ? words.over : null,
            ]
              .filter((part) => part !== null)
              .join(" · ")}
          </p>
        </div>
        {only ? (
          <Theirs answer={answerOf(option, only)} name={firstName(plan, only)} />
        ) : (
          <Faces faces={faces} />
        )}
      </div>
      {(out.length > 0 && !hidden) || busy.has(option.id) ? (
        <p className="col-span-2 text-sm font-semibold">
          {out.length > 0 && !hidden ? `${words.board.requiredOut(out)} ` : ""}
          {busy.has(option.id) ? words.board.busy : ""}
        </p>
      ) : null}
      <div className="col-span-2">
        <AnswerToggle
          label={words.yourAnswerFor(title)}
          value={mine}
          tally={hidden ? undefined : tally}
          disabled={!open || over}
          onChange={(given) => answer({ [option.id]: given })}
        />
      </div>
      <div className="col-span-2 -my-2 flex flex-wrap items-center justify-between gap-x-3">
        <Sheet
          title={title}
          trigger={
            <Button look="plain" aria-label={words.detail.options(title)}>
              <span className="text-sm">{words.detail.who}</span>
            </Button>
          }
        >
          {() => (
            <TimeDetail
              plan={plan}
              me={me}
              option={option}
              title={title}
              hidden={hidden}
              busy={busy.has(option.id)}
              open={open}
              host={host}
            />
          )}
        </Sheet>
        {hidden || !open || over || tally.silent.length === 0 ? null : (
          <p aria-hidden className="text-sm text-ink-soft">
            {words.silent(tally.silent.length)}
          </p>
        )}
      </div>
    </li>
  );
}

function Theirs({ answer, name }: { answer: Answer | null; name: string }) {
  const words = timeOptionWords();
  return (
    <p className="flex items-center gap-1.5 text-sm font-semibold">
      <AnswerMark answer={answer} />
      {words.board.theirs(name, answer ? words.answers[answer] : words.noAnswer)}
    </p>
  );
}

function answerOf(option: TimeOption, person: string): Answer | null {
  return option.time_votes.find((vote) => vote.user_id === person)?.answer ?? null;
}
