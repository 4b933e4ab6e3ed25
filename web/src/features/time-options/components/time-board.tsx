/**
 * Owns: the board of times. A person picks an answer and paints it over cells: by dragging, by tapping the
 * first and the last, or with the keyboard. One stroke is one request. On a touch screen a sideways swipe
 * starts a stroke; up and down still scrolls.
 */
import {
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { dayOf, formatTime, leafOf } from "../../../lib/time.ts";
import type { Answer } from "../../plans/answers.ts";
import { firstName } from "../../plans/names.ts";
import type { TimeOption } from "../../plans/schema.ts";
import { type Tally, tallyOf, warmthOf } from "../../plans/tally.ts";
import { timeOptionWords } from "../../plans/words/time-options.ts";
import { arrangeBoard } from "../board.ts";
import { type Brush, BrushBar } from "./brush-bar.tsx";
import { usePainting } from "./painting.ts";
import { TimeCell } from "./time-cell.tsx";
import { TimeDetail } from "./time-detail.tsx";
import type { TimesProps } from "./times-props.ts";

interface Painted {
  /** The plan's times when they were painted: a later plan has the answers itself. */
  options: readonly TimeOption[];
  answers: ReadonlyMap<string, Answer | null>;
}

const nothing: Painted["answers"] = new Map();
const nobody: Tally = { yes: [], if_need_be: [], no: [], silent: [], requiredOut: [] };

export function TimeBoard(props: TimesProps) {
  const { plan, me, now, zone, open, hidden, only, busy, host, answer, details = true } = props;
  const words = timeOptionWords();
  const board = useMemo(() => arrangeBoard(plan.time_options, zone), [plan.time_options, zone]);
  const [brush, setBrush] = useState<Brush>("yes");
  const [several, setSeveral] = useState(false);
  const howKeys = useId();
  const grid = useRef<HTMLDivElement>(null);
  // A stroke renders the board at every step; the tallies do not change meanwhile.
  const tallies = useMemo(
    () =>
      new Map(plan.time_options.map((option) => [option.id, tallyOf(option.time_votes, plan.plan_members)])),
    [plan.time_options, plan.plan_members],
  );
  const headers = useMemo(
    () =>
      board.rows.map(({ cells }) => {
        const first = cells[0]?.option.starts_at ?? "";
        return { ...leafOf(first, zone), label: dayOf(first, zone) };
      }),
    [board, zone],
  );
  const saved = useMemo(
    () =>
      new Map(
        plan.time_options.map((option) => [
          option.id,
          option.time_votes.find((vote) => vote.user_id === me)?.answer ?? null,
        ]),
      ),
    [plan.time_options, me],
  );
  // A stroke shows at once on its cells; the rest of the page is drawn after that, with the plan that has it.
  const [painted, setPainted] = useState<Painted>({ options: plan.time_options, answers: nothing });
  if (painted.options !== plan.time_options) setPainted({ options: plan.time_options, answers: nothing });
  const mine = ({ id }: TimeOption) =>
    painted.answers.get(id) ?? (painted.answers.has(id) ? null : (saved.get(id) ?? null));
  const over = (option: TimeOption) => Date.parse(option.starts_at) <= now;
  const paint = (ids: readonly string[], single: boolean) => {
    const options = ids.flatMap((id) => board.cells.get(id)?.option ?? []).filter((option) => !over(option));
    if (!open || options.length === 0) return;
    const wanted: Answer | null = brush === "clear" ? null : brush;
    // Painting a single cell that already has the answer clears it, as in the list.
    const back = wanted === null || (single && options.every((one) => mine(one) === wanted));
    const given = back ? null : wanted;
    setPainted({
      options: plan.time_options,
      answers: new Map([...painted.answers, ...options.map((option) => [option.id, given] as const)]),
    });
    answer(
      Object.fromEntries(options.map((option) => [option.id, given])),
      given === null
        ? words.board.cleared(options.length)
        : words.board.set(options.length, words.answers[given]),
    );
  };
  const painting = usePainting(board, open, several, paint);
  const { cancel } = painting;
  const chooseSeveral = useCallback(
    (on: boolean) => {
      setSeveral(on);
      cancel();
    },
    [cancel],
  );
  // The detail is deferred, so that the cells are painted first.
  const shown = board.cells.get(useDeferredValue(painting.shown) ?? "")?.option ?? null;
  const { aligned } = board;
  return (
    <div className="flex flex-col gap-3">
      {open ? (
        <BrushBar
          brush={brush}
          onBrush={setBrush}
          several={several}
          onSeveral={chooseSeveral}
          hint={several ? (painting.begun ? words.board.tapEnd : words.board.tapStart) : null}
        />
      ) : null}
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be painted on, and its rows differ in length */}
      <div
        ref={grid}
        role="grid"
        aria-label={words.board.label}
        aria-multiselectable
        aria-describedby={open ? howKeys : undefined}
        tabIndex={-1}
        className="@container flex touch-pan-y flex-col gap-1.5 outline-none select-none"
        {...painting.handlers}
      >
        {board.rows.map((row, index) => {
          const header = headers[index];
          return (
            // biome-ignore lint/a11y/useSemanticElements: a row of the grid above
            // biome-ignore lint/a11y/useFocusableInteractive: the focus is on its cells
            <div role="row" key={row.date} className="grid grid-cols-[3.25rem_1fr] items-stretch gap-1.5">
              {/* biome-ignore lint/a11y/useSemanticElements: a header of the grid above */}
              {/* biome-ignore lint/a11y/useFocusableInteractive: a header is read, not used */}
              <div
                role="rowheader"
                aria-label={header?.label}
                className="numerals flex flex-col items-start justify-center leading-tight"
              >
                <span className="text-sm text-ink-soft">{header?.weekday}</span>
                <span className="text-lg leading-none font-semibold">{header?.day}</span>
                <span className="text-xs text-ink-soft">{header?.month}</span>
              </div>
              <div
                role="presentation"
                className="grid gap-1.5"
                style={{
                  gridTemplateColumns: aligned
                    ? `repeat(${board.columns}, minmax(0, 1fr))`
                    : "repeat(auto-fit, minmax(4.25rem, 1fr))",
                }}
              >
                {row.cells.map(({ option, column }) => {
                  const tally = tallies.get(option.id) ?? nobody;
                  const theirs = only
                    ? (option.time_votes.find((vote) => vote.user_id === only)?.answer ?? null)
                    : undefined;
                  return (
                    <TimeCell
                      key={option.id}
                      id={option.id}
                      column={aligned ? column + 1 : undefined}
                      startsAt={option.starts_at}
                      endsAt={option.ends_at}
                      beside={aligned ? board.columns : row.cells.length}
                      zone={zone}
                      tableZone={plan.time_zone}
                      mine={mine(option)}
                      only={theirs}
                      onlyName={only ? firstName(plan, only) : ""}
                      yes={tally.yes.length}
                      ifNeedBe={tally.if_need_be.length}
                      no={tally.no.length}
                      silent={open && !over(option) ? tally.silent.length : 0}
                      warmth={warmthOf(tally)}
                      hidden={hidden}
                      out={tally.requiredOut.map((id) => firstName(plan, id)).join(", ")}
                      busy={busy.has(option.id)}
                      over={over(option)}
                      chosen={plan.chosen_time_id === option.id}
                      marked={painting.marked.has(option.id)}
                      brush={painting.marked.size > 0 ? brush : null}
                      reachable={painting.reachable === option.id}
                      disabled={!open || over(option)}
                    />
                  );
                })}
              </div>
            </div>
          );
        })}
      </div>
      {open ? (
        <p className="text-sm text-ink-soft">
          <span className="pointer-coarse:hidden">{words.board.how}</span>
          <span className="hidden pointer-coarse:inline">{words.board.howTouch}</span>{" "}
          <span id={howKeys}>
            <KeysHint grid={grid} />
          </span>
        </p>
      ) : null}
      {shown && details ? (
        <TimeDetail
          key={shown.id}
          plan={plan}
          me={me}
          option={shown}
          title={formatTime(shown.starts_at, plan.time_zone, zone)}
          hidden={hidden}
          busy={busy.has(shown.id)}
          open={open}
          host={host}
        />
      ) : null}
    </div>
  );
}

/**
 * How keys paint, while a cell has the keyboard's focus. It listens itself: a style that looks for the focus inside the
 * board (`:has`) makes the browser compute the styles of the whole board at each tap.
 */
function KeysHint({ grid }: { grid: RefObject<HTMLElement | null> }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const board = grid.current;
    if (!board) return;
    const look = () => setShown(document.activeElement?.matches('[role="gridcell"]:focus-visible') ?? false);
    const leave = () => setShown(false);
    board.addEventListener("focusin", look);
    board.addEventListener("focusout", leave);
    return () => {
      board.removeEventListener("focusin", look);
      board.removeEventListener("focusout", leave);
    };
  }, [grid]);
  return <span className={shown ? "" : "hidden"}>{timeOptionWords().board.howKeys}</span>;
}
