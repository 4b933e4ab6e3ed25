/** Owns Keccak-256, the hash of Ethereum: SHA-3 before its padding was changed. */
import { keccak_256 } from "@noble/hashes/sha3.js";

/** The 32 bytes of a message's hash. */
export function keccak256(message: Uint8Array): Buffer {
  return Buffer.from(keccak_256(message));
}
