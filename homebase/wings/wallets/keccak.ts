/** Owns Keccak-256, Ethereum's hash: SHA-3 with the original padding. */
import { keccak_256 } from "@noble/hashes/sha3.js";

/** The 32-byte hash of a message. */
export function keccak256(message: Uint8Array): Buffer {
  return Buffer.from(keccak_256(message));
}
