/**
 * Owns: the mark of an answer: a plate with a check, a folded napkin, a crossed chair, an empty seat.
 * Decorative next to words, and distinguishable by shape, not by colour alone.
 */
import type { ReactNode } from "react";
import type { Answer } from "../answers.ts";

/** The colours of a mark: its own, or, on a button in the answer's colour, that of the button's text. */
interface Colours {
  body: string;
  lines: string;
}

const marks: Record<Answer, (colours: Colours) => ReactNode> = {
  yes: ({ body, lines }) => (
    <>
      <circle cx="10" cy="10" r="9" fill={body} />
      <path
        d="M5.8 10.4 8.8 13.4 14.4 7"
        fill="none"
        stroke={lines}
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  if_need_be: ({ body, lines }) => (
    <>
      <path d="M10 1.5 19 17.5H1Z" fill={body} strokeLinejoin="round" />
      <path d="M10 2 12 17.5M10 2 6 17.5" stroke={lines} strokeWidth="1.3" />
    </>
  ),
  no: ({ body }) => (
    <>
      <circle cx="10" cy="10" r="8" fill="none" stroke={body} strokeWidth="2" />
      <path d="M4.5 15.5 15.5 4.5" stroke={body} strokeWidth="2" />
    </>
  ),
};

const tokens: Record<Answer, string> = { yes: "var(--yes)", if_need_be: "var(--maybe)", no: "var(--no)" };

/** @param chosen whether it is on a button that has the answer's colour */
export function AnswerMark({
  answer,
  size = 20,
  chosen = false,
}: {
  answer: Answer | null;
  size?: number;
  chosen?: boolean;
}) {
  return (
    <svg
      viewBox="0 0 20 20"
      width={size}
      height={size}
      data-answer={answer ?? "none"}
      aria-hidden
      className="shrink-0"
    >
      {answer === null ? (
        <circle
          cx="10"
          cy="10"
          r="8"
          fill="none"
          stroke="var(--edge)"
          strokeWidth="1.5"
          strokeDasharray="3 2.6"
        />
      ) : (
        marks[answer](
          chosen
            ? { body: "currentColor", lines: tokens[answer] }
            : { body: tokens[answer], lines: "var(--card)" },
        )
      )}
    </svg>
  );
}
