/** Owns: on which side of its marker each name on a map stands, so that no name covers a marker or another name. Pure. */

export interface NamedMarker {
  /** The marker's middle, in pixels. */
  x: number;
  y: number;
  /** The marker's width and height. */
  size: number;
  nameWidth: number;
}

/** In the order in which they are tried. */
const sides = ["below", "above", "right", "left"] as const;
export type Side = (typeof sides)[number] | "hidden";

export interface NamePlace {
  side: Side;
  /** The width that the name may have: less than its own where the map ends beside its marker. */
  width: number;
}

const NAME_HEIGHT = 24;
/** Between a marker and its name (map.css). */
const GAP = 4;
/** A name is not cut to less than this. */
const SHORTEST = 72;

/**
 * The place of each name, within the frame if there is one. A name with no room on any side is hidden: the marker shows
 * it when it is pointed to.
 */
export function placesOf(
  markers: readonly NamedMarker[],
  frame: { width: number; height: number },
): NamePlace[] {
  const taken = markers.map(({ x, y, size }) => boxAround(x, y, size, size));
  const inFrame = ({ left, right, top, bottom }: Box) =>
    left >= 0 && top >= 0 && right <= frame.width && bottom <= frame.height;
  return markers.map((marker, index) => {
    const free = sides
      .map((side) => ({ side, box: nameBox(marker, side, frame.width) }))
      .filter(({ box }) => !taken.some((other, at) => at !== index && overlap(box, other)));
    const found = free.find(({ box }) => inFrame(box)) ?? free[0];
    if (!found) return { side: "hidden", width: marker.nameWidth };
    taken.push(found.box);
    return { side: found.side, width: found.box.right - found.box.left };
  });
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function nameBox({ x, y, size, nameWidth }: NamedMarker, side: (typeof sides)[number], end: number): Box {
  const down = (size + NAME_HEIGHT) / 2 + GAP;
  if (side === "below" || side === "above")
    return boxAround(x, side === "below" ? y + down : y - down, nameWidth, NAME_HEIGHT);
  const beside = size / 2 + GAP;
  const room = side === "right" ? end - x - beside : x - beside;
  const width = room < SHORTEST ? nameWidth : Math.min(nameWidth, room);
  const middle = beside + width / 2;
  return boxAround(side === "right" ? x + middle : x - middle, y, width, NAME_HEIGHT);
}

function boxAround(x: number, y: number, width: number, height: number): Box {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
