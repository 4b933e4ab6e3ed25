/** Owns replacing what is about people in rows: which column is masked how, and the values that take its place. */
import { createHmac } from "node:crypto";
import { isRecord } from "../../core/record.ts";

export type Kind = "email" | "phone" | "name" | "address" | "token" | "ip" | "birthday" | "json";

/** A column, as far as its rule depends on it. */
export interface MaskedColumn {
  schema: string;
  table: string;
  name: string;
  /** `pg_type.typname`. */
  type: string;
  /** Characters that fit in. */
  length?: number | undefined;
  /** The table is about people: it has an email, refers to an account, or is called so. */
  people: boolean;
}

const TEXTS = new Set(["text", "varchar", "bpchar", "citext", "name"]);
const PATTERNS: [Kind, RegExp][] = [
  ["email", /e_?mail/],
  ["phone", /phone|mobile|(^|_)(tel|fax)(_|$)/],
  ["token", /token|secret|passw|api_?key|(^|_)(otp|pin|nonce|hash|iban|ssn)(_|$)|card_number/],
  ["address", /address|street|(^|_)(city|zip|postal|postcode|zip_?code|lat|lng|latitude|longitude)(_|$)/],
  [
    "name",
    /(first|last|full|middle|maiden|display|user|nick|family|given|sur|real|legal|account|contact)_?name|(^|_)(firstname|lastname|username|initials)(_|$)/,
  ],
];

/** How a column is masked; undefined where nothing suggests that it should be. */
export function ruleOf({ name, type, people }: MaskedColumn): Kind | undefined {
  if (type === "json" || type === "jsonb") return "json";
  if (type === "inet") return "ip";
  const lower = name.toLowerCase();
  if (/birth|(^|_)dob(_|$)/.test(lower)) return "birthday";
  if (!TEXTS.has(type)) return undefined;
  const found = PATTERNS.find(([, pattern]) => pattern.test(lower))?.[0];
  // An IP address is one by its name, too.
  if (found === "address" && /(^|_)ip_/.test(lower)) return "ip";
  return found ?? (people && lower === "name" ? "name" : undefined);
}

const FIRST = [
  "Ada",
  "Ben",
  "Cleo",
  "Dino",
  "Eva",
  "Femi",
  "Gus",
  "Hana",
  "Ivo",
  "Jun",
  "Kai",
  "Lea",
  "Mio",
  "Nia",
  "Oto",
  "Pia",
];

/** The same value becomes the same other value, under the same key; nobody without the key can try values out. */
export class Mask {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Null and empty text stay. */
  value(kind: Kind, value: string | null, length?: number): string | null {
    if (value === null || value === "") return value;
    const masked = kind === "json" ? this.#json(value) : this.#text(kind, value);
    return length === undefined ? masked : masked.slice(0, length);
  }

  #text(kind: Exclude<Kind, "json">, value: string): string {
    const hash = createHmac("sha256", this.#key).update(`${kind}\0${value.toLowerCase()}`).digest();
    const hex = hash.toString("hex");
    switch (kind) {
      case "email":
        return `user-${hex.slice(0, 12)}@example.test`;
      case "phone":
        return `${value.startsWith("+") ? "+" : ""}1555${String(hash.readBigUInt64BE(0) % 10_000_000_000n).padStart(10, "0")}`;
      case "name":
        return `${FIRST[(hash[0] ?? 0) % FIRST.length]}-${hex.slice(2, 10)}`;
      case "address":
        return `${1 + ((hash[0] ?? 0) % 200)} Sample Street ${hex.slice(2, 8)}`;
      case "ip":
        return `192.0.2.${hash[0]}`;
      case "birthday":
        return value.replace(/^(\d{4})-\d\d-\d\d/, "$1-01-01");
      case "token":
        return hex.repeat(Math.ceil(value.length / hex.length)).slice(0, value.length);
    }
  }

  /** Text in JSON is masked by the names of its members. */
  #json(text: string): string {
    const walk = (value: unknown, name: string): unknown => {
      if (Array.isArray(value)) return value.map((one) => walk(one, name));
      if (isRecord(value))
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one, key)]));
      if (typeof value !== "string" && typeof value !== "number") return value;
      const kind = ruleOf({ schema: "", table: "", name, type: "text", people: true });
      if (kind === undefined || kind === "json") return value;
      return this.value(kind, String(value));
    };
    return JSON.stringify(walk(JSON.parse(text), ""));
  }
}
