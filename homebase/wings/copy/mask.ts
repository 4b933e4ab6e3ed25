/** Owns the values that take the place of others: the same value gives the same other one, under the same key. */

import { createHmac } from "node:crypto";
import { isUuid } from "../../src/core/uuid.ts";

/** What a text is about, by its column's or member's name. */
export type Kind = "email" | "phone" | "name" | "address" | "token" | "text";

const KINDS: [Kind, RegExp][] = [
  ["email", /e_?mail/],
  ["phone", /phone|mobile|(^|_)(tel|fax)(_|$)/],
  ["token", /token|secret|passw|api_?key|(^|_)(otp|pin|nonce|hash|iban|ssn)(_|$)|card_number/],
  ["address", /address|street|(^|_)(city|zip|postal|postcode|zip_?code)(_|$)/],
  [
    "name",
    /(^|_)name$|(first|last|full|middle|maiden|display|user|nick|family|given|sur|real|legal|account|contact)_?name|(^|_)(firstname|lastname|username|initials)(_|$)/,
  ],
];

/** What a name suggests: it decides only what the other value looks like. */
export function kindOf(name: string): Kind {
  const lower = name.toLowerCase();
  return KINDS.find(([, pattern]) => pattern.test(lower))?.[0] ?? "text";
}

/** ES2025's, which TypeScript does not know yet: a number with the digits that it is given. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const FIRST = "Ada Ben Cleo Dino Eva Femi Gus Hana Ivo Jun Kai Lea Mio Nia Oto Pia".split(" ");
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(1950, 0, 1);
/** Seventy years. */
const DAYS = 25_567;

export class Mask {
  readonly #key: Buffer;
  /** Texts that are keys of copied rows, in lower case: they stay. */
  readonly keys = new Set<string>();
  /** Names of stored objects, which other columns may hold too. */
  readonly paths = new Set<string>();

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param salt what belongs together: values of different salts are masked differently. */
  hash(salt: string, value: string): Buffer {
    return createHmac("sha256", this.#key).update(`${salt}\0${value}`).digest();
  }

  /** As many numbers below 256 as wanted. */
  *#bytes(salt: string, value: string): Generator<number, never> {
    for (let block = 0; ; block += 1) yield* this.hash(`${salt}\0${block}`, value);
  }

  /** @param attempt another number gives another value. @param length most characters. */
  text(value: string, kind: Kind, attempt = 0, length?: number): string {
    const lower = value.toLowerCase();
    if (value === "" || (kind !== "token" && this.keys.has(lower))) return value;
    if (this.paths.has(value)) return this.path(value);
    if (isUuid(value)) return this.uuid(lower, attempt);
    const shown = EMAIL.test(value) ? "email" : kind;
    const made = this.#text(shown, value, lower, attempt);
    return length === undefined || made.length <= length ? made : this.#short(lower, attempt, length);
  }

  #text(kind: Kind, value: string, lower: string, attempt: number): string {
    const hash = this.hash(`${kind}${attempt}`, lower);
    const hex = hash.toString("hex");
    if (/^https?:\/\//.test(lower)) return `https://example.test/${hex.slice(0, 16)}`;
    switch (kind) {
      case "email":
        return `user-${hex.slice(0, 16)}@example.test`;
      case "phone":
        return `${value.startsWith("+") ? "+" : ""}1555${String(hash.readBigUInt64BE(0) % 10_000_000_000n).padStart(10, "0")}`;
      case "name":
        return `${FIRST[(hash[0] ?? 0) % FIRST.length]}-${hex.slice(2, 14)}`;
      case "address":
        return `${1 + ((hash[0] ?? 0) % 200)} Sample Street ${hex.slice(2, 14)}`;
      case "token":
        return hex.repeat(Math.ceil(value.length / hex.length)).slice(0, Math.max(value.length, 8));
      case "text":
        return `masked-${hex.slice(0, 16)}`;
    }
  }

  /** Letters and digits, as many as fit. */
  #short(value: string, attempt: number, length: number): string {
    const bytes = this.#bytes(`short${attempt}`, value);
    const signs = `${LETTERS}0123456789`;
    return Array.from({ length }, (_, at) => signs[bytes.next().value % (at === 0 ? 26 : 36)]).join("");
  }

  /** A path's folders that are keys stay, and the ending of its file. */
  path(value: string): string {
    const parts = value.split("/");
    return parts
      .map((part, at) => {
        if (part === "" || this.keys.has(part.toLowerCase())) return part;
        const ending = at === parts.length - 1 ? (/\.[a-z\d]{1,5}$/i.exec(part)?.[0] ?? "") : "";
        return `${this.hash("path", part).toString("hex").slice(0, 16)}${ending}`;
      })
      .join("/");
  }

  /** Each letter and digit becomes another one; all other characters stay. */
  shaped(value: string, attempt = 0): string {
    const bytes = this.#bytes(`shape${attempt}`, value);
    return value.replace(/[\p{L}\d]/gu, (sign) => {
      const byte = bytes.next().value;
      if (/\d/.test(sign)) return String(byte % 10);
      const letter = LETTERS[byte % 26] ?? "a";
      return sign === sign.toUpperCase() ? letter.toUpperCase() : letter;
    });
  }

  /** Numbers with as many digits; `most`: the digits of the type's largest number. */
  digits(value: string, attempt = 0, most = Number.POSITIVE_INFINITY): string {
    const bytes = this.#bytes(`digits${attempt}`, value);
    return value.replace(/(\d+)(\.\d+)?(e[+-]?\d+)?/gi, (_all, whole: string, part = "", power = "") => {
      const other = (text: string) => text.replace(/\d/g, () => String(bytes.next().value % 10));
      const first = whole.length >= most ? "1" : String(1 + (bytes.next().value % 9));
      return `${/^0+$/.test(whole) ? whole : first + other(whole.slice(1))}${other(part)}${power}`;
    });
  }

  uuid(value: string, attempt = 0): string {
    const hex = this.hash(`uuid${attempt}`, value.toLowerCase()).toString("hex");
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/s, "$1-$2-4$3-8$4-$5");
  }

  date(value: string, attempt = 0): string {
    const days = this.hash(`date${attempt}`, value).readUInt32BE(0) % DAYS;
    return new Date(FIRST_DAY + days * DAY_MS).toISOString().slice(0, 10);
  }

  time(value: string, attempt = 0): string {
    const [hours = 0, minutes = 0, seconds = 0] = this.hash(`time${attempt}`, value);
    return [hours % 24, minutes % 60, seconds % 60].map((one) => String(one).padStart(2, "0")).join(":");
  }

  bits(value: string, attempt = 0): string {
    const bytes = this.#bytes(`bits${attempt}`, value);
    return value.replace(/[01]/g, () => String(bytes.next().value % 2));
  }

  /** Bytes of the same number, up to 64. */
  bytea(value: string, attempt = 0): string {
    const bytes = this.#bytes(`bytea${attempt}`, value);
    const length = Math.min(64, Math.max(0, (value.length - 2) / 2));
    return `\\x${Array.from({ length }, () => bytes.next().value.toString(16).padStart(2, "0")).join("")}`;
  }

  /** Another order of a list, by the key: each member has one of its own, so that what differs goes on to. */
  permuted(salt: string, values: readonly string[]): string[] {
    const rank = (value: string) => this.hash(`order\0${salt}`, value).toString("hex");
    return [...values].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  }

  /**
   * Every text and number in JSON. Names of members stay where `known` has them; the others may be data.
   * Numbers are masked as they are written, whatever their size.
   */
  json(text: string, known: ReadonlySet<string>, attempt = 0): string {
    const revive = (name: string, value: unknown, { source }: { source?: string }): unknown => {
      if (typeof value === "string") return this.text(value, kindOf(name), attempt);
      if (typeof value === "number") return rawJSON(this.digits(source ?? String(value), attempt));
      if (typeof value !== "object" || value === null || Array.isArray(value) || isRawJSON(value))
        return value;
      const members = Object.entries(value);
      return Object.fromEntries(
        members.map(([key, one]) => [known.has(key) ? key : this.text(key, "text", attempt), one]),
      );
    };
    return JSON.stringify(JSON.parse(text, revive as (name: string, value: unknown) => unknown));
  }
}
