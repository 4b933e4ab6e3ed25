/**
 * Owns verifying a wallet's signature: Ed25519 for Solana; ECDSA over secp256k1 with the key recovered from
 * the signature for Ethereum (https://eips.ethereum.org/EIPS/eip-191; SEC 1, 4.1.6).
 */
import { createPublicKey, verify } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak256 } from "./keccak.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The SubjectPublicKeyInfo prefix before the 32 bytes of an Ed25519 key (RFC 8410). */
const ED25519_HEAD = Buffer.from("302a300506032b6570032100", "hex");

/** Whether the key of a Solana address, which is the address itself, signed the text. */
export function isSolanaSignature(address: string, text: string, signature: Buffer): boolean {
  const key = fromBase58(address);
  if (key?.length !== 32 || signature.length !== 64) return false;
  const publicKey = createPublicKey({ key: Buffer.concat([ED25519_HEAD, key]), format: "der", type: "spki" });
  return verify(null, Buffer.from(text), publicKey, signature);
}

function fromBase58(text: string): Buffer | undefined {
  let value = 0n;
  for (const character of text) {
    const digit = BASE58.indexOf(character);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = value === 0n ? "" : value.toString(16);
  return Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"),
  ]);
}

/** Whether the key of an Ethereum address signed the text. @param signature r, s and v, 65 bytes */
export function isEthereumSignature(address: string, text: string, signature: Buffer): boolean {
  const body = Buffer.from(text);
  const head = Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`);
  const key = recover(keccak256(Buffer.concat([head, body])), signature);
  if (!key) return false;
  const hash = keccak256(key).subarray(12).toString("hex");
  return `0x${hash}` === address.toLowerCase();
}

/** Recovers the public key (x and y) from a signature of a hash; undefined when impossible. */
function recover(hash: Buffer, signature: Buffer): Buffer | undefined {
  if (signature.length !== 65) return undefined;
  const parity = (signature[64] ?? 0) % 27;
  if (parity > 1) return undefined;
  try {
    const key = secp256k1.Signature.fromBytes(signature.subarray(0, 64), "compact")
      .addRecoveryBit(parity)
      .recoverPublicKey(hash);
    return Buffer.from(key.toBytes(false)).subarray(1);
  } catch {
    // The values are out of range, or not a point on the curve.
    return undefined;
  }
}
