/** Owns: yes / if need be / no. Pressing the chosen one again takes the answer back: silence is not a no. */
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { CheckIcon } from "../../../ui/icons.ts";
import { type Answer, answers } from "../answers.ts";
import { whenWords } from "../words/when.ts";

const looks: Record<Answer, string> = {
  yes: "data-[selected]:bg-yes",
  if_need_be: "data-[selected]:bg-maybe",
  no: "data-[selected]:bg-no",
};

export function AnswerToggle({
  label,
  value,
  disabled,
  onChange,
}: {
  /** What is answered: "Fri 27 Nov, 19:30". */
  label: string;
  value: Answer | null;
  disabled: boolean;
  onChange: (answer: Answer | null) => void;
}) {
  const words = whenWords();
  return (
    <ToggleButtonGroup
      aria-label={words.yourAnswerFor(label)}
      selectionMode="single"
      selectedKeys={value ? [value] : []}
      isDisabled={disabled}
      onSelectionChange={(keys) => {
        const [key] = keys;
        onChange(answers.find((answer) => answer === key) ?? null);
      }}
      className="flex w-full overflow-hidden rounded-full border border-edge bg-card @xl:w-auto"
    >
      {answers.map((answer) => (
        <ToggleButton
          key={answer}
          id={answer}
          className={`inline-flex min-h-11 flex-1 cursor-pointer items-center justify-center gap-1 px-3 text-sm font-semibold whitespace-nowrap text-ink transition-colors duration-150 outline-offset-[-3px] not-first:border-l not-first:border-line hover:bg-card-warm disabled:cursor-default disabled:opacity-60 data-[selected]:text-card @xl:flex-none ${looks[answer]}`}
        >
          {({ isSelected }) => (
            <>
              {isSelected ? <CheckIcon aria-hidden className="size-4" /> : null}
              {words.answers[answer]}
            </>
          )}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
