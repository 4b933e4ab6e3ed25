/** Owns Keccak-256, the hash of Ethereum: SHA-3 before its padding was changed (https://keccak.team/keccak_specs_summary.html). */

const RATE_BYTES = 136;
const ROUNDS = 24;
const MASK = (1n << 64n) - 1n;

/** Rotation of each lane, by its index x + 5 y. */
const ROTATIONS = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
];
const ROUND_CONSTANTS = makeRoundConstants();

/** The 32 bytes of a message's hash. */
export function keccak256(message: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((message.length + 1) / RATE_BYTES) * RATE_BYTES);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  let state = new Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane += 1) {
      state[lane] = at(state, lane) ^ padded.readBigUInt64LE(block + lane * 8);
    }
    state = permute(state);
  }
  const digest = Buffer.alloc(32);
  for (let lane = 0; lane < 4; lane += 1) digest.writeBigUInt64LE(at(state, lane), lane * 8);
  return digest;
}

function permute(initial: bigint[]): bigint[] {
  let state = initial;
  for (let round = 0; round < ROUNDS; round += 1) {
    const columns = [0, 1, 2, 3, 4].map((x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ at(state, x + y), 0n),
    );
    const mixed = state.map(
      (lane, index) => lane ^ at(columns, (index + 4) % 5) ^ rotate(at(columns, (index + 1) % 5), 1),
    );
    const moved = new Array<bigint>(25).fill(0n);
    for (let index = 0; index < 25; index += 1) {
      const x = index % 5;
      const y = Math.floor(index / 5);
      moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(at(mixed, index), ROTATIONS[index] ?? 0);
    }
    state = moved.map((lane, index) => {
      const row = index - (index % 5);
      const next = at(moved, row + ((index + 1) % 5));
      const afterNext = at(moved, row + ((index + 2) % 5));
      return lane ^ (~next & MASK & afterNext);
    });
    state[0] = at(state, 0) ^ at(ROUND_CONSTANTS, round);
  }
  return state;
}

/** The constants of the rounds come out of a shift register of eight bits. */
function makeRoundConstants(): bigint[] {
  const constants: bigint[] = [];
  let register = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    let constant = 0n;
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
    constants.push(constant);
  }
  return constants;
}

function rotate(lane: bigint, bits: number): bigint {
  return ((lane << BigInt(bits)) | (lane >> BigInt(64 - bits))) & MASK;
}

function at(lanes: readonly bigint[], index: number): bigint {
  return lanes[index] ?? 0n;
}
