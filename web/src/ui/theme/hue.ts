/** Owns: a number from a name, for colours and shapes that stay the same for the same thing. */

/** FNV-1a over the UTF-16 units: spreads ids that differ in one digit. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // One more mixing round: without it the last digits of an id move only the low bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** A hue from 0 to 359. */
export function hueOf(text: string): number {
  return hashOf(text) % 360;
}
