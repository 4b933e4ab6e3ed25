/**
 * Owns whether a wallet signed a message: Ed25519 for Solana, ECDSA over secp256k1 with the key recovered
 * from the signature for Ethereum (https://eips.ethereum.org/EIPS/eip-191; SEC 1, 4.1.6). What is computed
 * with here is public, so nothing needs to take a constant time.
 */
import { createPublicKey, verify } from "node:crypto";
import { keccak256 } from "./keccak.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** What precedes the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo (RFC 8410). */
const ED25519_HEAD = Buffer.from("302a300506032b6570032100", "hex");

/** Whether the owner of a Solana address, which is its key, signed the text. */
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

/** Whether the owner of an Ethereum address signed the text. @param signature r, s and v, 65 bytes */
export function isEthereumSignature(address: string, text: string, signature: Buffer): boolean {
  const body = Buffer.from(text);
  const head = Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`);
  const key = recover(keccak256(Buffer.concat([head, body])), signature);
  if (!key) return false;
  const hash = keccak256(key).subarray(12).toString("hex");
  return `0x${hash}` === address.toLowerCase();
}

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G: Point = {
  x: 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n,
  y: 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n,
};

/** A point of the curve y² = x³ + 7; undefined is the one at infinity. */
type Point = { x: bigint; y: bigint };

/** The public key, x and y, that made a signature of a hash; undefined when none can have. */
function recover(hash: Buffer, signature: Buffer): Buffer | undefined {
  if (signature.length !== 65) return undefined;
  const r = number(signature.subarray(0, 32));
  const s = number(signature.subarray(32, 64));
  const odd = (signature[64] ?? 0) % 27;
  if (r === 0n || r >= N || s === 0n || s >= N || odd > 1) return undefined;
  const square = modulo(r ** 3n + 7n, P);
  const root = power(square, (P + 1n) / 4n, P);
  if (modulo(root * root, P) !== square) return undefined;
  const point = { x: r, y: Number(root & 1n) === odd ? root : P - root };
  const inverse = invert(r, N);
  const key = add(multiply(point, modulo(s * inverse, N)), multiply(G, modulo(-number(hash) * inverse, N)));
  return key && Buffer.concat([bytes(key.x), bytes(key.y)]);
}

function add(left: Point | undefined, right: Point | undefined): Point | undefined {
  if (!left) return right;
  if (!right) return left;
  if (left.x === right.x && modulo(left.y + right.y, P) === 0n) return undefined;
  const slope =
    left.x === right.x
      ? modulo(3n * left.x * left.x * invert(2n * left.y, P), P)
      : modulo((right.y - left.y) * invert(right.x - left.x, P), P);
  const x = modulo(slope * slope - left.x - right.x, P);
  return { x, y: modulo(slope * (left.x - x) - left.y, P) };
}

function multiply(point: Point, times: bigint): Point | undefined {
  let sum: Point | undefined;
  let doubled: Point | undefined = point;
  for (let rest = times; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, doubled);
    doubled = add(doubled, doubled);
  }
  return sum;
}

function modulo(value: bigint, by: bigint): bigint {
  const rest = value % by;
  return rest < 0n ? rest + by : rest;
}

function power(base: bigint, exponent: bigint, by: bigint): bigint {
  let result = 1n;
  let square = modulo(base, by);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % by;
    square = (square * square) % by;
  }
  return result;
}

/** By Euclid's algorithm; `by` is a prime. */
function invert(value: bigint, by: bigint): bigint {
  let [low, high] = [modulo(value, by), by];
  let [left, right] = [1n, 0n];
  while (low > 1n) {
    const ratio = high / low;
    [low, high] = [high - ratio * low, low];
    [left, right] = [right - ratio * left, left];
  }
  return modulo(left, by);
}

function number(text: Buffer): bigint {
  return BigInt(`0x${text.toString("hex")}`);
}

function bytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}
