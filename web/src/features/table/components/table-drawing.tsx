/**
 * Owns: the drawing of the table from above. One chair for each person: dashed until they answer, a set place
 * for a yes, a folded napkin for a maybe, pulled back for a no, a covered dish for a hidden answer, and a
 * glow when they are here.
 */
import { useId, useState } from "react";
import { layOut } from "../../../../../supabase/functions/_shared/table/seating.ts";
import { initialsOf } from "../../../ui/avatar.tsx";
import { hueOf } from "../../../ui/theme/hue.ts";
import type { SeatLook } from "../../plans/domain.ts";
import { tableWords } from "../../plans/words/table.ts";
import type { DrawnSeat } from "../drawn-seats.ts";

export interface TableDrawingProps {
  seats: readonly DrawnSeat[];
  /** The text in the middle, large and small. */
  centre?: { large: string; small: string };
  /** The subject of the drawing: "Dinner before the holidays". */
  label: string;
  /** Whether to draw the seats, or the table alone. */
  peopleDrawn?: boolean;
  className?: string;
}

/** The text alternative: everyone, in the table's order. */
export function describeTable(label: string, seats: readonly DrawnSeat[]): string {
  if (seats.length === 0) return tableWords().drawnEmpty(label);
  const strangers = seats.filter((seat) => seat.name === null).length;
  const people = [
    ...(strangers > 0 ? [tableWords().strangers(strangers)] : []),
    ...seats.flatMap((seat) => (seat.name === null ? [] : `${seat.name} ${seat.words}`)),
  ].join("; ");
  return tableWords().drawn(label, seats.length, people);
}

export function TableDrawing({
  seats,
  centre,
  label,
  peopleDrawn = true,
  className = "",
}: TableDrawingProps) {
  const layout = layOut(seats.length || 6);
  const clip = useId();
  const { width, height, rx, ry, chair } = layout;
  return (
    <svg
      viewBox={`${-width / 2} ${-height / 2} ${width} ${height}`}
      role="img"
      aria-label={describeTable(label, seats)}
      className={`h-auto max-w-full ${className}`}
    >
      <defs>
        <clipPath id={clip}>
          <circle r={chair - 2.5} />
        </clipPath>
        <radialGradient id={`${clip}glow`}>
          <stop offset="0.35" stopColor="var(--glow)" stopOpacity="0.95" />
          <stop offset="1" stopColor="var(--glow)" stopOpacity="0" />
        </radialGradient>
        <radialGradient id={`${clip}light`}>
          <stop offset="0" stopColor="var(--glow)" stopOpacity="0.38" />
          <stop offset="1" stopColor="var(--glow)" stopOpacity="0" />
        </radialGradient>
      </defs>
      <ellipse cy={4} rx={rx} ry={ry} fill="var(--wood-edge)" />
      <ellipse rx={rx} ry={ry} fill="var(--wood)" />
      <ellipse rx={rx} ry={ry} fill={`url(#${clip}light)`} />
      <ellipse rx={rx - 5} ry={ry - 5} fill="none" stroke="var(--wood-edge)" strokeOpacity="0.55" />
      {(peopleDrawn ? layout.seats : []).map((spot, index) => {
        const seat = seats[index];
        return seat ? (
          <g key={seat.id}>
            <Setting look={seat.look} x={spot.x} y={spot.y} towards={spot.towards} />
            <Chair seat={seat} x={spot.x} y={spot.y} towards={spot.towards} radius={chair} clip={clip} />
          </g>
        ) : (
          <circle
            key={`free-${spot.x}-${spot.y}`}
            cx={spot.x}
            cy={spot.y}
            r={chair - 3}
            fill="none"
            stroke="var(--edge)"
            strokeWidth="1.5"
            strokeDasharray="4 4"
          />
        );
      })}
      {/* Of three people two have their plates beside the small word. */}
      {centre ? <Centre {...centre} up={layout.seats.length === 3 ? 8 : 0} /> : null}
    </svg>
  );
}

function Centre({ large, small, up }: { large: string; small: string; up: number }) {
  return (
    <g textAnchor="middle" fill="var(--ink)" aria-hidden transform={`translate(0 ${-up})`}>
      <text y={small ? 3 : 8} className="numerals" fontSize="25" fontWeight="600">
        {large}
      </text>
      <text y={19} fontSize="10.5" fontFamily="var(--font-sans)">
        {small}
      </text>
    </g>
  );
}

interface Spot {
  x: number;
  y: number;
  towards: number;
}

/** The object on the table in front of a chair. */
function Setting({ look, x, y, towards }: Spot & { look: SeatLook }) {
  const reach = 45;
  const at = `translate(${x + Math.cos(towards) * reach} ${y + Math.sin(towards) * reach}) rotate(${(towards * 180) / Math.PI + 90})`;
  const set = look === "set" || look === "arrived";
  if (!set && look !== "covered" && look !== "maybe") return null;
  return (
    <g transform={at} className="pop">
      {set ? (
        <>
          <circle r="12.5" cy="1.2" fill="var(--wood-edge)" opacity="0.7" />
          <circle r="12.5" fill="var(--china)" />
          <circle r="8" fill="none" stroke="var(--wood-edge)" strokeOpacity="0.5" />
          <path
            d="M-18.6 -8v6.4M-16 -8v6.4M-17.3 -2v10M16.4 -8.5v17M16.4 -8.5c3 1.2 3 7.2 0 8.2"
            stroke="var(--china)"
            strokeWidth="1.6"
            strokeLinecap="round"
            fill="none"
          />
        </>
      ) : look === "covered" ? (
        <>
          <path d="M-13 7h26" stroke="var(--china)" strokeWidth="2.4" strokeLinecap="round" />
          <path d="M-11 5.5a11 11 0 0 1 22 0Z" fill="var(--china)" stroke="var(--wood-edge)" />
          <circle cy="-7.5" r="2" fill="var(--china)" stroke="var(--wood-edge)" />
        </>
      ) : (
        <>
          <path
            d="M0 -11 11.5 8H-11.5Z"
            fill="var(--china)"
            stroke="var(--wood-edge)"
            strokeLinejoin="round"
          />
          <path d="M0 -11 3 8M0 -11 -5 8" stroke="var(--wood-edge)" strokeOpacity="0.6" />
        </>
      )}
    </g>
  );
}

function Chair({
  seat,
  x,
  y,
  towards,
  radius,
  clip,
}: Spot & { seat: DrawnSeat; radius: number; clip: string }) {
  const away = seat.look === "out" ? 7 : 0;
  const at = `translate(${x - Math.cos(towards) * away} ${y - Math.sin(towards) * away})`;
  const open = seat.look === "empty" || seat.look === "waiting";
  const ring = {
    set: "var(--yes)",
    arrived: "var(--glow)",
    maybe: "var(--maybe)",
    out: "var(--no)",
    covered: "var(--ink-soft)",
  } as const;
  return (
    <g transform={at} className="pop">
      {seat.name === null ? null : <title>{`${seat.name} ${seat.words}`}</title>}
      {seat.look === "arrived" ? <circle r={radius + 11} fill={`url(#${clip}glow)`} /> : null}
      <circle
        r={radius}
        fill="var(--card)"
        stroke={open ? "var(--edge)" : ring[seat.look as keyof typeof ring]}
        strokeWidth={open ? 1.5 : 2}
        strokeDasharray={open ? "4 3.4" : undefined}
      />
      <g opacity={seat.look === "out" ? 0.4 : open ? 0.6 : 1}>
        <Portrait seat={seat} radius={radius} clip={clip} />
      </g>
      {seat.look === "out" ? (
        <path
          d={`M${-radius * 0.62} ${radius * 0.62}L${radius * 0.62} ${-radius * 0.62}`}
          stroke="var(--no)"
          strokeWidth="2"
        />
      ) : null}
      {seat.present ? (
        <circle
          cx={radius * 0.72}
          cy={radius * 0.72}
          r="5"
          fill="var(--yes)"
          stroke="var(--card)"
          strokeWidth="2"
        />
      ) : null}
    </g>
  );
}

/** Initials, replaced by the picture once it is loaded. */
function Portrait({ seat, radius, clip }: { seat: DrawnSeat; radius: number; clip: string }) {
  const [broken, setBroken] = useState(false);
  return (
    <>
      <circle r={radius - 2.5} fill={`oklch(0.42 0.09 ${hueOf(seat.id)})`} />
      <text
        textAnchor="middle"
        dominantBaseline="central"
        fontSize="13"
        fontWeight="600"
        fill="oklch(0.98 0.01 90)"
        fontFamily="var(--font-sans)"
      >
        {seat.name === null ? "" : initialsOf(seat.name)}
      </text>
      {seat.picture && !broken ? (
        <image
          href={seat.picture}
          x={-radius + 2}
          y={-radius + 2}
          width={(radius - 2) * 2}
          height={(radius - 2) * 2}
          clipPath={`url(#${clip})`}
          preserveAspectRatio="xMidYMid slice"
          onError={() => setBroken(true)}
        />
      ) : null}
    </>
  );
}
