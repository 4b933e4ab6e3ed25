/**
 * Owns drawing a text as a QR code: byte mode, error correction level M, the smallest version that fits
 * (ISO/IEC 18004). Tables hold what the standard fixes for level M.
 */

/** Error correction codewords per block and number of blocks, by version from 1. */
const CORRECTION = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28,
] as const;
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21,
] as const;
const LEVEL_M = 0;
const QUIET = 4;

type Grid = boolean[][];

/** An SVG picture of the code. @throws RangeError when the text is longer than a version 25 code holds. */
export function qrSvg(text: string): string {
  const grid = qrGrid(text);
  const size = grid.length + QUIET * 2;
  let path = "";
  grid.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `M${start + QUIET} ${y + QUIET}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 4}" height="${size * 4}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`;
}

/** The code's modules, row by row; true is dark. */
export function qrGrid(text: string): Grid {
  const bytes = Buffer.from(text, "utf8");
  const version = versionFor(bytes.length);
  const size = version * 4 + 17;
  const dark: Grid = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed: Grid = dark.map((row) => row.map(() => false));
  const put = (x: number, y: number, value: boolean) => {
    const row = dark[y];
    const marks = fixed[y];
    if (!row || !marks || x < 0 || x >= size) return;
    row[x] = value;
    marks[x] = true;
  };
  drawPatterns(version, size, put);
  drawFormat(size, 0, put);
  drawData(interleave(version, encode(bytes, version)), dark, fixed);
  return bestMask(dark, fixed);
}

/** Codewords of a version, data and correction together. */
function rawCodewords(version: number): number {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2;
    bits -= (25 * aligned - 10) * aligned - 55;
    if (version >= 7) bits -= 36;
  }
  return bits >> 3;
}

function shape(version: number): { correction: number; blocks: number; data: number } {
  const correction = CORRECTION[version - 1] ?? 0;
  const blocks = BLOCKS[version - 1] ?? 0;
  return { correction, blocks, data: rawCodewords(version) - correction * blocks };
}

function versionFor(length: number): number {
  for (let version = 1; version <= CORRECTION.length; version++) {
    const head = version < 10 ? 12 : 20;
    if (head + length * 8 <= shape(version).data * 8) return version;
  }
  throw new RangeError("The text is too long for a QR code.");
}

/** Mode, length, bytes, terminator and padding. */
function encode(bytes: Uint8Array, version: number): number[] {
  const capacity = shape(version).data * 8;
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let index = count - 1; index >= 0; index--) bits.push((value >>> index) & 1);
  };
  push(4, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  const words: number[] = [];
  for (let index = 0; index < bits.length; index += 8) {
    words.push(bits.slice(index, index + 8).reduce((word, bit) => (word << 1) | bit, 0));
  }
  return words;
}

/** Splits data into blocks, adds each one's correction and takes them by turns. */
function interleave(version: number, data: number[]): number[] {
  const { correction, blocks } = shape(version);
  const short = Math.floor(data.length / blocks);
  const longer = data.length % blocks;
  const divisor = generator(correction);
  const parts: number[][] = [];
  for (let index = 0, start = 0; index < blocks; index++) {
    const end = start + short + (index >= blocks - longer ? 1 : 0);
    parts.push(data.slice(start, end));
    start = end;
  }
  const remainders = parts.map((part) => remainder(part, divisor));
  const result: number[] = [];
  for (let index = 0; index <= short; index++) {
    for (const part of parts) {
      const word = part[index];
      if (word !== undefined) result.push(word);
    }
  }
  for (let index = 0; index < correction; index++) {
    for (const part of remainders) result.push(part[index] ?? 0);
  }
  return result;
}

/** Product in GF(256) with the polynomial 0x11d. */
function times(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((right >>> bit) & 1) * left;
  }
  return product;
}

function generator(degree: number): number[] {
  const result = new Array<number>(degree).fill(0);
  result[degree - 1] = 1;
  let root = 1;
  for (let turn = 0; turn < degree; turn++) {
    for (let index = 0; index < degree; index++) {
      result[index] = times(result[index] ?? 0, root) ^ (result[index + 1] ?? 0);
    }
    root = times(root, 2);
  }
  return result;
}

function remainder(data: number[], divisor: number[]): number[] {
  const result = divisor.map(() => 0);
  for (const word of data) {
    const factor = word ^ (result.shift() ?? 0);
    result.push(0);
    divisor.forEach((coefficient, index) => {
      result[index] = (result[index] ?? 0) ^ times(coefficient, factor);
    });
  }
  return result;
}

type Put = (x: number, y: number, value: boolean) => void;

function drawPatterns(version: number, size: number, put: Put): void {
  for (let index = 0; index < size; index++) {
    put(6, index, index % 2 === 0);
    put(index, 6, index % 2 === 0);
  }
  const places = alignments(version, size);
  const last = places.length - 1;
  places.forEach((x, column) => {
    places.forEach((y, row) => {
      const corner = (column === 0 && (row === 0 || row === last)) || (column === last && row === 0);
      if (corner) return;
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++) put(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    });
  });
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    for (let dy = -4; dy <= 4; dy++) {
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        if (y + dy >= 0 && y + dy < size) put(x + dx, y + dy, ring !== 2 && ring !== 4);
      }
    }
  }
  if (version < 7) return;
  let rest = version;
  for (let turn = 0; turn < 12; turn++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let index = 0; index < 18; index++) {
    const value = ((bits >>> index) & 1) === 1;
    const far = size - 11 + (index % 3);
    const near = Math.floor(index / 3);
    put(far, near, value);
    put(near, far, value);
  }
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const result = [6];
  for (let place = size - 7; result.length < count; place -= step) result.splice(1, 0, place);
  return result;
}

function drawFormat(size: number, mask: number, put: Put): void {
  const data = (LEVEL_M << 3) | mask;
  let rest = data;
  for (let turn = 0; turn < 10; turn++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (index: number) => ((bits >>> index) & 1) === 1;
  for (let index = 0; index <= 5; index++) put(8, index, bit(index));
  put(8, 7, bit(6));
  put(8, 8, bit(7));
  put(7, 8, bit(8));
  for (let index = 9; index < 15; index++) put(14 - index, 8, bit(index));
  for (let index = 0; index < 8; index++) put(size - 1 - index, 8, bit(index));
  for (let index = 8; index < 15; index++) put(8, size - 15 + index, bit(index));
  put(8, size - 8, true);
}

/** Fills the free modules in columns of two, upwards and downwards by turns, from the right. */
function drawData(words: number[], dark: Grid, fixed: Grid): void {
  const size = dark.length;
  let index = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const upward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = upward ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (!row || fixed[y]?.[x] || index >= words.length * 8) continue;
        row[x] = (((words[index >>> 3] ?? 0) >>> (7 - (index & 7))) & 1) === 1;
        index++;
      }
    }
  }
}

const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function bestMask(dark: Grid, fixed: Grid): Grid {
  const candidates = MASKS.map((mask, number) => {
    const grid = dark.map((row, y) => row.map((value, x) => value !== (!fixed[y]?.[x] && mask(x, y))));
    drawFormat(grid.length, number, (x, y, value) => {
      const row = grid[y];
      if (row) row[x] = value;
    });
    return { grid, penalty: penalty(grid) };
  });
  return candidates.reduce((best, one) => (one.penalty < best.penalty ? one : best)).grid;
}

/** How hard a grid is to read: long runs, squares, false finders, imbalance. */
function penalty(grid: Grid): number {
  const size = grid.length;
  const columns = grid.map((_row, x) => grid.map((row) => row[x] ?? false));
  let total = 0;
  for (const line of [...grid, ...columns]) {
    const text = line.map((value) => (value ? "1" : "0")).join("");
    for (const run of text.match(/(.)\1{4,}/g) ?? []) total += run.length - 2;
    total +=
      40 * ((text.match(/(?=10111010000)/g) ?? []).length + (text.match(/(?=00001011101)/g) ?? []).length);
  }
  let count = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const value = grid[y]?.[x];
      if (value) count++;
      if (value === grid[y]?.[x + 1] && value === grid[y + 1]?.[x] && value === grid[y + 1]?.[x + 1])
        total += 3;
    }
  }
  return total + Math.floor(Math.abs((count * 20) / (size * size) - 10)) * 10;
}
