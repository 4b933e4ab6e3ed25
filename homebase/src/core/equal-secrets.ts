/** Owns comparing secrets in constant time. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Compares two secrets in constant time. */
export function equalSecrets(left: string, right: string): boolean {
  const a = createHash("sha256").update(left).digest();
  const b = createHash("sha256").update(right).digest();
  return timingSafeEqual(a, b);
}
