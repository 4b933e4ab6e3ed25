/**
 * Owns: yes / if need be / no to an option, each with its count, or to coming. Pressing the chosen answer to an option again
 * withdraws it: no answer is not a no.
 */
import { useState } from "react";
import { One, OneOf } from "../../../ui/fields/one-of.tsx";
import { type Answer, answers } from "../answers.ts";
import type { Tally } from "../tally.ts";
import { timeOptionWords } from "../words/time-options.ts";
import { AnswerMark } from "./answer-mark.tsx";
import { heatOf, TallyList } from "./heat.tsx";

const looks: Record<Answer, string> = {
  yes: "data-[selected]:bg-yes",
  if_need_be: "data-[selected]:bg-maybe",
  no: "data-[selected]:bg-no",
};

export function AnswerToggle({
  label,
  answers: own,
  value,
  tally,
  disabled,
  onChange,
}: {
  /** The question. */
  label: string;
  /** The words of other answers, larger and with their marks; these are changed, and not withdrawn. */
  answers?: Record<Answer, string>;
  value: Answer | null;
  /** Everyone's answers; omitted while they are hidden. */
  tally?: Tally | undefined;
  disabled: boolean;
  onChange: (answer: Answer | null) => void;
}) {
  const words = own ?? timeOptionWords().answers;
  // The button shows the answer at once; the rest of the page is drawn after that, with the plan that has it.
  const [pressed, setPressed] = useState<{ instead: Answer | null; answer: Answer | null } | null>(null);
  if (pressed && pressed.instead !== value) setPressed(null);
  const shown = pressed ? pressed.answer : value;
  return (
    <div className="w-full">
      {tally ? <TallyList tally={tally} open={!disabled} /> : null}
      <OneOf
        aria-label={label}
        disallowEmptySelection={own !== undefined}
        selectedKeys={shown ? [shown] : []}
        isDisabled={disabled}
        onSelectionChange={(keys) => {
          const [key] = keys;
          const answer = answers.find((each) => each === key) ?? null;
          setPressed({ instead: value, answer });
          onChange(answer);
        }}
        // Answers in large letters take another row before one of them is cut.
        className={`w-full overflow-hidden rounded-l border border-edge bg-card ${own ? "grid grid-cols-[repeat(auto-fit,minmax(min(100%,5rem),1fr))]" : "flex flex-wrap"}`}
      >
        {answers.map((answer) => {
          const count = tally?.[answer].length ?? 0;
          return (
            <One
              key={answer}
              id={answer}
              style={tally ? heatOf(tally, answer) : undefined}
              className={({ isSelected }) =>
                `inline-flex min-h-11 flex-1 basis-0 cursor-pointer items-center justify-center gap-x-1.5 px-1 py-1.5 text-sm font-semibold text-ink transition-colors duration-150 outline-offset-[-3px] not-first:border-l not-first:border-edge/60 disabled:cursor-default data-[selected]:text-card ${looks[answer]} ${own ? "min-h-14 flex-col gap-y-1 leading-tight" : "whitespace-nowrap"} ${!isSelected && count > 0 ? "heat" : "hover:bg-card-warm disabled:opacity-60"}`
              }
            >
              {({ isSelected }) => (
                <>
                  {own || isSelected ? (
                    <AnswerMark answer={answer} size={own ? 20 : 16} chosen={isSelected} />
                  ) : null}
                  {words[answer]}
                  {tally ? (
                    // Hidden from screen readers: the list above says it, and the button keeps its name.
                    <span
                      aria-hidden
                      data-count={count}
                      className="numerals text-base leading-none before:content-[attr(data-count)]"
                    />
                  ) : null}
                </>
              )}
            </One>
          );
        })}
      </OneOf>
    </div>
  );
}
