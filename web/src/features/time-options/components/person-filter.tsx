/** Owns: choosing whose answers are shown: everyone's, or one person's while hovered or selected. */

import { memo, useState } from "react";
import { saidNo } from "../../../../../supabase/functions/_shared/table/person_state.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { One, OneOf } from "../../../ui/fields/one-of.tsx";
import { faceOf } from "../../people/queries.ts";
import { seatedOf } from "../../plans/domain.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { tableWords } from "../../plans/words/table.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";

const ALL = "all";
/** With more people than this, only avatars are shown, and the active person's name below them. */
const NAMED = 8;

interface PersonFilterProps {
  plan: Plan;
  me: string;
  only: string | null;
  onChange: (person: string | null) => void;
}

export function PersonFilter({ plan, ...choice }: PersonFilterProps) {
  const answered = plan.plan_members.filter((member) => seatedOf(plan, member).answered);
  return (
    <PersonChoice
      members={plan.plan_members}
      answered={answered.map(({ user_id }) => user_id).join()}
      {...choice}
    />
  );
}

interface PersonChoiceProps extends Omit<PersonFilterProps, "plan"> {
  members: Plan["plan_members"];
  /** The ids of everybody who has answered, in one text, which equals the earlier one after most votes. */
  answered: string;
}

/** Memoised: twenty buttons took an eighth of the time in which another person's vote is drawn. */
const PersonChoice = memo(function PersonChoice({
  members,
  answered,
  me,
  only,
  onChange,
}: PersonChoiceProps) {
  const words = timeOptionWords().only;
  const { required } = tableWords();
  // Hovering shows a person temporarily; selecting keeps them.
  const [picked, setPicked] = useState<string | null>(null);
  const point = (person: string | null) => onChange(person ?? picked);
  const voters = new Set(answered.split(","));
  const people = members.filter((member) => !saidNo(member));
  if (people.length < 2) return null;
  const compact = people.length > NAMED;
  const shown = compact ? people.find((member) => member.user_id === only) : undefined;
  const look =
    "relative flex min-h-9 shrink-0 cursor-pointer items-center gap-1.5 rounded-full border border-edge bg-card text-sm " +
    "transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent " +
    "data-[selected]:bg-ink data-[selected]:text-card";
  return (
    <div className="flex flex-col gap-1">
      <OneOf
        aria-label={words.label}
        disallowEmptySelection
        selectedKeys={[only ?? ALL]}
        onSelectionChange={(keys) => {
          const [key] = keys;
          const person = key === ALL || key === undefined ? null : String(key);
          setPicked(person);
          onChange(person);
        }}
        className="-mx-4 flex gap-1.5 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:px-0"
      >
        <One id={ALL} className={`${look} px-3.5 font-semibold`}>
          {words.all}
        </One>
        {people.map((member) => {
          const face = faceOf(member.user_id, member.profiles);
          const name = firstName({ plan_members: members }, member.user_id);
          return (
            <One
              key={member.user_id}
              id={member.user_id}
              onHoverStart={() => point(member.user_id)}
              onHoverEnd={() => point(null)}
              onFocus={(event) => {
                if (event.target.matches(":focus-visible")) point(member.user_id);
              }}
              onBlur={() => point(null)}
              className={`${look} py-0.5 pl-0.5 ${compact ? "pr-0.5" : "pr-3"} ${voters.has(member.user_id) ? "" : "border-dashed text-ink-soft"}`}
            >
              <Avatar face={face} size={30} />
              <span className={compact ? "sr-only" : ""}>
                {member.user_id === me ? tableWords().you(name) : name}
              </span>
              {member.required ? (
                <>
                  <span aria-hidden className="numerals text-lg leading-none text-action">
                    *
                  </span>
                  <span className="sr-only">{required}</span>
                </>
              ) : null}
            </One>
          );
        })}
      </OneOf>
      {compact ? (
        <p className="min-h-5 text-sm font-semibold" aria-hidden>
          {shown ? faceOf(shown.user_id, shown.profiles).name : ""}
        </p>
      ) : null}
    </div>
  );
});
