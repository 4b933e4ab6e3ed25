/** Owns: choosing the answer to paint with, and painting several cells without dragging. */
import { memo } from "react";
import { ToggleButton } from "react-aria-components";
import { One, OneOf } from "../../../ui/fields/one-of.tsx";
import { type Answer, answers } from "../../plans/answers.ts";
import { AnswerMark } from "../../plans/components/answer-mark.tsx";
import { timeOptionWords } from "../../plans/words/time-options.ts";

/** An answer, or clearing it. */
export type Brush = Answer | "clear";

const brushes: readonly Brush[] = [...answers, "clear"];

/** Memoised: a stroke changes the cells only. */
export const BrushBar = memo(function BrushBar({
  brush,
  onBrush,
  several,
  onSeveral,
  hint,
}: {
  brush: Brush;
  onBrush: (brush: Brush) => void;
  several: boolean;
  onSeveral: (several: boolean) => void;
  hint: string | null;
}) {
  const words = timeOptionWords();
  return (
    <div className="sticky top-12 z-20 -mx-1 flex flex-col gap-1 bg-ground px-1 py-1.5">
      <div className="flex flex-wrap gap-2">
        <OneOf
          aria-label={words.board.brush}
          disallowEmptySelection
          selectedKeys={[brush]}
          onSelectionChange={(keys) => {
            const [key] = keys;
            const chosen = brushes.find((each) => each === key);
            if (chosen) onBrush(chosen);
          }}
          className="grid min-w-0 flex-1 basis-60 grid-cols-4 overflow-hidden rounded-m border border-edge bg-card"
        >
          {brushes.map((each) => (
            <One
              key={each}
              id={each}
              className="flex min-h-12 min-w-0 cursor-pointer flex-col items-center justify-center gap-0.5 px-0.5 py-1 text-center text-xs leading-tight font-semibold outline-offset-[-3px] transition-colors duration-150 not-first:border-l not-first:border-line hover:bg-card-warm data-[selected]:bg-card-warm data-[selected]:shadow-[inset_0_-3px_0_var(--action)]"
            >
              <AnswerMark answer={each === "clear" ? null : each} size={18} />
              <span className="max-w-full text-balance break-words">
                {each === "clear" ? words.clear : words.answers[each]}
              </span>
            </One>
          ))}
        </OneOf>
        <ToggleButton
          isSelected={several}
          onChange={onSeveral}
          className="min-h-11 cursor-pointer rounded-full border border-edge bg-card px-3 text-sm font-semibold transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card"
        >
          {words.board.several}
        </ToggleButton>
      </div>
      <p role="status" className="text-sm empty:hidden">
        {hint}
      </p>
    </div>
  );
});
