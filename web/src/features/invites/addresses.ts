/** Owns: reading mail addresses out of what people type or paste. Pure. */
import * as z from "zod/mini";

const address = z.email().check(z.maxLength(254));

/** Whether an invitation can be sent there. */
export function isAddress(text: string): boolean {
  return address.safeParse(text).success;
}

/**
 * The addresses in a text, lower-cased, each once, in order; "Ana <ana@nosh.test>" is read as people paste it.
 * Text that is not an address is kept too, so that the form can show it.
 */
export function addressesIn(text: string): string[] {
  const parts = text.replaceAll(/[^\s,;<>]+(?:\s+[^\s,;<>@]+)*\s*<([^<>\s]+)>/g, " $1 ").split(/[\s,;<>]+/);
  return [...new Set(parts.filter((part) => part !== "").map((part) => part.toLowerCase()))];
}
