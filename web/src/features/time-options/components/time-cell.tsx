/**
 * Owns: one time on the board: the heat of its answers, and the person's own answer. Its accessible name is
 * its text, which contains the visible words as whole sentences. Memoised: a stroke over thirty cells renders
 * only those.
 */
import { memo } from "react";
import { clockOf, dayOf, otherClock } from "../../../lib/time.ts";
import type { Answer } from "../../plans/answers.ts";
import { AnswerMark } from "../../plans/components/answer-mark.tsx";
import { heatColours } from "../../plans/components/heat.tsx";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import type { Brush } from "./brush-bar.tsx";

interface TimeCellProps {
  id: string;
  /** Its position in the row, from 1; undefined if cells wrap. */
  column: number | undefined;
  /** The number of cells in its row, which decides how much text fits. */
  beside: number;
  startsAt: string;
  endsAt: string;
  zone: string;
  tableZone: string;
  mine: Answer | null;
  /** One person's answer when only theirs is shown; undefined for everyone's. */
  only: Answer | null | undefined;
  onlyName: string;
  yes: number;
  ifNeedBe: number;
  no: number;
  silent: number;
  /** 0 to 1 */
  warmth: number;
  hidden: boolean;
  /** Names of required people who cannot come, or "". */
  out: string;
  busy: boolean;
  over: boolean;
  chosen: boolean;
  marked: boolean;
  /** The answer of the current stroke, if any. */
  brush: Brush | null;
  reachable: boolean;
  disabled: boolean;
}

const edgeOf: Record<Answer, string> = { yes: "border-yes", if_need_be: "border-maybe", no: "border-no" };

/**
 * By the number of cells in a row: from which width of the board on a cell has 8 rem, for the end of the time, and
 * 13 rem, for the whole tally. The board is the one container: each cell as its own made every tap lay out thirty.
 */
const endFits: Record<number, string> = {
  1: "@min-[12rem]:not-sr-only",
  2: "@min-[20.5rem]:not-sr-only",
  3: "@min-[28.5rem]:not-sr-only",
  4: "@min-[37rem]:not-sr-only",
  5: "@min-[45.5rem]:not-sr-only",
};
const tallyFits: Record<number, string> = {
  1: "@min-[17rem]:inline",
  2: "@min-[30.5rem]:inline",
  3: "@min-[43.5rem]:inline",
  4: "@min-[57rem]:inline",
};

export const TimeCell = memo(function TimeCell(props: TimeCellProps) {
  const { mine, only, hidden, marked, brush } = props;
  const words = timeOptionWords();
  const answerText = (given: Answer | null) => (given ? words.answers[given] : words.noAnswer);
  // During a stroke the cell previews its result.
  const own = marked && brush ? (brush === "clear" ? null : brush) : mine;
  const heat =
    only === undefined
      ? { "--heat": hidden ? 0 : props.warmth ** 1.4, "--heat-colour": "var(--heat-yes)" }
      : { "--heat": only ? 0.75 : 0, "--heat-colour": only ? heatColours[only] : "transparent" };
  const there = otherClock(props.startsAt, props.zone, props.tableZone);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell of the board's grid
    <div
      role="gridcell"
      data-option={props.id}
      tabIndex={props.reachable ? 0 : -1}
      aria-selected={marked}
      aria-disabled={props.disabled || undefined}
      style={{ ...heat, ...(props.column ? { gridColumnStart: props.column } : {}) } as React.CSSProperties}
      className={`heat relative flex min-h-[4.5rem] scroll-mt-32 flex-col justify-between rounded-s border-2 p-1.5 text-left transition-colors duration-150 ${
        own ? edgeOf[own] : "border-line"
      } ${marked ? "outline-2 outline-offset-1 outline-ink outline-dashed" : ""} ${
        props.over ? "opacity-55" : ""
      } ${props.disabled ? "" : "cursor-pointer"}`}
    >
      {props.busy ? (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-0 rounded-[4px] bg-[repeating-linear-gradient(135deg,var(--ink)_0_1px,transparent_1px_7px)] opacity-25"
        />
      ) : null}
      <span className="numerals relative text-sm leading-none">
        {clockOf(props.startsAt, props.zone)}
        <span className={`sr-only ${endFits[props.beside] ?? ""}`}>–{clockOf(props.endsAt, props.zone)}</span>
        <span className="sr-only">{`, ${dayOf(props.startsAt, props.zone)}, `}</span>
        {props.chosen ? (
          <span className="block text-xs font-semibold">
            <span aria-hidden>{words.chosen}</span>
            <span className="sr-only">{`${words.chosen}.`}</span>
          </span>
        ) : null}
      </span>
      {there === null ? null : (
        <span className="numerals relative text-xs leading-tight">
          <span aria-hidden>{words.zone.there(there)}</span>
          <span className="sr-only">{`${words.zone.there(there)}.`}</span>
        </span>
      )}
      {props.out && !hidden ? (
        <span className="relative text-xs leading-tight">
          <s aria-hidden className="block truncate">
            {props.out}
          </s>
          <span className="sr-only">{words.board.requiredOut([props.out])}</span>
        </span>
      ) : null}
      <span className="relative flex items-end justify-between gap-1">
        {only !== undefined ? (
          <span className="text-xs leading-tight font-semibold">
            <span aria-hidden>{answerText(only)}</span>
            <span className="sr-only">{words.board.theirs(props.onlyName, answerText(only))}</span>
          </span>
        ) : hidden ? (
          <span className="min-w-0">
            <span aria-hidden className="numerals text-lg leading-none font-semibold">
              ·
            </span>
            <span className="sr-only">{`${words.hiddenShort}.`}</span>
          </span>
        ) : (
          <span className="min-w-0">
            <span aria-hidden className="numerals text-lg leading-none font-semibold">
              {props.yes}
            </span>
            <span aria-hidden className={`hidden text-xs ${tallyFits[props.beside] ?? ""}`}>
              {` ${tallyOf(props)}`}
            </span>
            <span className="sr-only">{`${props.yes} ${tallyOf(props)}.`}</span>
          </span>
        )}
        {/* A label, not text, in a box of fixed size: a stroke over thirty cells lays nothing out. */}
        <span
          role="img"
          aria-label={furtherOf(props, answerText(mine))}
          className="size-[18px] shrink-0 [contain:strict]"
        >
          <AnswerMark answer={own} size={18} />
        </span>
      </span>
    </div>
  );
});

/** The text after the count: visible if there is space, and always in the accessible name. */
function tallyOf({ ifNeedBe, no, silent }: TimeCellProps): string {
  const { heat, silent: waiting } = timeOptionWords();
  return [
    heat.yes,
    ...(ifNeedBe > 0 ? [`${ifNeedBe} ${heat.if_need_be}`] : []),
    ...(no > 0 ? [`${no} ${heat.no}`] : []),
    ...(silent > 0 ? [waiting(silent)] : []),
  ].join(", ");
}

/** The cell's wordless marks: the own answer, hatching for busy, a faded colour for past. */
function furtherOf({ busy, over }: TimeCellProps, mine: string): string {
  const words = timeOptionWords();
  return [
    words.board.mine(mine),
    ...(busy ? [words.board.busy] : []),
    ...(over ? [`${words.over}.`] : []),
  ].join(" ");
}
