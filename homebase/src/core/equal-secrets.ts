/** Owns comparing secrets in constant time. */
import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal. The time it takes shows at most whether they are of the same length. */
export function equalSecrets(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
