/** Owns: the positions of chairs around a table seen from above. Pure geometry in the drawing's own units. */

export interface Layout {
  /** Half axes of the table top. */
  rx: number;
  ry: number;
  /** The drawing's size; the table is in its middle. */
  width: number;
  height: number;
  /** Chair radius. */
  chair: number;
  seats: { x: number; y: number /** Direction to the table's middle, radians. */; towards: number }[];
}

const CHAIR = 19;
/** Distance between the table's edge and a chair's middle. */
const REACH = 26;

/** A table for `count` people: round while a round one is large enough, then longer. */
export function layOut(count: number): Layout {
  const people = Math.max(count, 1);
  const ry = people <= 4 ? 62 : people <= 8 ? 76 : people <= 14 ? 84 : 92;
  // Each chair needs its width and a margin; an ellipse's circumference after Ramanujan.
  let rx = ry;
  while (circumference(rx + REACH, ry + REACH) < people * (CHAIR * 2 + 10)) rx += 4;
  return {
    rx,
    ry,
    width: 2 * (rx + REACH + CHAIR + 12),
    height: 2 * (ry + REACH + CHAIR + 12),
    chair: CHAIR,
    seats: around(rx + REACH, ry + REACH, people),
  };
}

/** `count` points on an ellipse at equal distances along it, the first at the top. */
function around(a: number, b: number, count: number): Layout["seats"] {
  const steps = 720;
  const lengths = [0];
  const point = (step: number) => {
    const angle = (step / steps) * Math.PI * 2 - Math.PI / 2;
    return { x: a * Math.cos(angle), y: b * Math.sin(angle) };
  };
  for (let step = 1; step <= steps; step++) {
    const [from, to] = [point(step - 1), point(step)];
    lengths.push((lengths[step - 1] ?? 0) + Math.hypot(to.x - from.x, to.y - from.y));
  }
  const total = lengths[steps] ?? 1;
  return Array.from({ length: count }, (_, index) => {
    const wanted = (index / count) * total;
    const { x, y } = point(
      Math.max(
        0,
        lengths.findIndex((length) => length >= wanted),
      ),
    );
    // Towards the table along the ellipse's normal, so that long tables have straight rows.
    return { x, y, towards: Math.atan2(-y / b ** 2, -x / a ** 2) };
  });
}

function circumference(a: number, b: number): number {
  const h = ((a - b) / (a + b)) ** 2;
  return Math.PI * (a + b) * (1 + (3 * h) / (10 + Math.sqrt(4 - 3 * h)));
}
