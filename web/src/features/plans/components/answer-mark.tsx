/**
 * Owns: the mark of an answer: a plate with a check, a folded napkin, a crossed chair, an empty seat.
 * Decorative next to words, and distinguishable by shape, not by colour alone.
 */
import type { ReactNode } from "react";
import type { Answer } from "../answers.ts";

const marks: Record<Answer | "none", ReactNode> = {
  yes: (
    <>
      <circle cx="10" cy="10" r="9" fill="var(--yes)" />
      <path
        d="M5.8 10.4 8.8 13.4 14.4 7"
        fill="none"
        stroke="var(--card)"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  if_need_be: (
    <>
      <path d="M10 1.5 19 17.5H1Z" fill="var(--maybe)" strokeLinejoin="round" />
      <path d="M10 2 12 17.5M10 2 6 17.5" stroke="var(--card)" strokeWidth="1.3" />
    </>
  ),
  no: (
    <>
      <circle cx="10" cy="10" r="8" fill="none" stroke="var(--no)" strokeWidth="2" />
      <path d="M4.5 15.5 15.5 4.5" stroke="var(--no)" strokeWidth="2" />
    </>
  ),
  none: (
    <circle
      cx="10"
      cy="10"
      r="8"
      fill="none"
      stroke="var(--edge)"
      strokeWidth="1.5"
      strokeDasharray="3 2.6"
    />
  ),
};

export function AnswerMark({ answer, size = 20 }: { answer: Answer | null; size?: number }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden className="shrink-0">
      {marks[answer ?? "none"]}
    </svg>
  );
}
