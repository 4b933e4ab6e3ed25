/** Owns the drawing of gates: the strip of a row, and the rail of the pane. Shape first, colour second. */
import type { Gate, Mark } from "../../server/api.ts";

const STEP = 12;
const FIRST = 4;
const MIDDLE = 7;
const MARKS: Readonly<Record<string, Mark>> = { o: "open", p: "part", s: "shut", "?": "unknown" };
const NAMES: Readonly<Record<Mark, string>> = {
  open: "open",
  part: "part",
  shut: "shut",
  unknown: "not asked",
};

/** @param gates one letter each, as a row has them */
export function Strip({ gates }: { gates: string }) {
  const marks = [...gates].map((letter) => MARKS[letter] ?? "unknown");
  return (
    <svg className="strip" width="58" height="14" viewBox="0 0 58 14" aria-hidden="true">
      {marks.slice(1).map((mark, at) => (
        <line
          // biome-ignore lint/suspicious/noArrayIndexKey: a gate is its place
          key={at}
          className={mark === "unknown" || marks[at] === "unknown" ? "dotted" : "solid"}
          x1={FIRST + at * STEP + 3.5}
          x2={FIRST + (at + 1) * STEP - 3.5}
          y1={MIDDLE}
          y2={MIDDLE}
        />
      ))}
      {marks.map((mark, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a gate is its place
        <MarkShape key={at} mark={mark} x={FIRST + at * STEP} y={MIDDLE} scale={1} />
      ))}
    </svg>
  );
}

function MarkShape({ mark, x, y, scale }: { mark: Mark; x: number; y: number; scale: number }) {
  if (mark === "shut")
    return (
      <rect className="shut" x={x - 1.75 * scale} y={y - 6 * scale} width={3.5 * scale} height={12 * scale} />
    );
  if (mark === "unknown") return <circle className="unknown" cx={x} cy={y} r={1.5 * scale} />;
  if (mark === "open") return <circle className="open" cx={x} cy={y} r={2.75 * scale} />;
  const r = 3.5 * scale;
  return (
    <g className="part">
      <circle cx={x} cy={y} r={r} />
      <path d={`M ${x} ${y - r} A ${r} ${r} 0 0 0 ${x} ${y + r} Z`} />
    </g>
  );
}

/** The gates upright, with what each has said. */
export function Rail({ gates }: { gates: readonly Gate[] }) {
  const shut = gates.findIndex(({ mark }) => mark === "shut");
  return (
    <ol className="rail">
      {gates.map(({ name, mark, text, hidden }, at) => (
        <li key={name} className={shut >= 0 && at >= shut ? "after" : ""}>
          <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <MarkShape mark={mark} x={8} y={8} scale={1.3} />
          </svg>
          <b>{name}</b>
          <span className="text">{shut >= 0 && at > shut ? "" : text}</span>
          <span className={mark === "open" ? "unseen" : `mark ${mark}`}>
            {hidden !== undefined && hidden > 0 ? `${hidden} hidden` : NAMES[mark]}
          </span>
        </li>
      ))}
    </ol>
  );
}
