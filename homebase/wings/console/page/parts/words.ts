/** Owns how times, lengths, sizes and names are written. */

/** Minutes, seconds and milliseconds of the local hour: a reader compares rows of one click. */
export function clock(at: number): { minutes: string; seconds: string; fraction: string } {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return {
    minutes: `${two(date.getMinutes())}:`,
    seconds: two(date.getSeconds()),
    fraction: `.${String(date.getMilliseconds()).padStart(3, "0")}`,
  };
}

export function timeOfDay(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export function length(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10}`;
  return `${Math.round(ms)}`;
}

/** A pause between rows: "8.4 s", "3 min". */
export function pause(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}

/** "20 s", "5 min", "2 h", "3 d". */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** "2", "5,000". A browser's first number in words takes as long as the page's first frame, so that small ones go without. */
export function amount(number: number): string {
  return number < 1_000 ? `${number}` : number.toLocaleString();
}

/** "1 row", "2 rows". */
export function counted(number: number, one: string): string {
  return `${amount(number)} ${number === 1 ? one : `${one}s`}`;
}

/** "1 byte", "1.5 MB", in the units of Storage: a limit of "5MB" is 5,000,000 bytes. */
export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const power = Math.min(3, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)));
  const scaled = bytes / 1000 ** power;
  return `${scaled < 10 && power > 0 ? scaled.toFixed(1).replace(".0", "") : Math.round(scaled)} ${["", "KB", "MB", "GB"][power]}`;
}

const SHORT_TYPES: Readonly<Record<string, string>> = {
  "timestamp with time zone": "timestamptz",
  "timestamp without time zone": "timestamp",
  "character varying": "varchar",
  "double precision": "float8",
};

/** A type by its short name, where it has one. */
export function shortType(type: string): string {
  return Object.entries(SHORT_TYPES).reduce((text, [long, short]) => text.replace(long, short), type);
}

/** Marks of direction and other controls as their codes: a name must not look like another one. */
export function printable(name: string): string {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, codeOf);
}

/** A value with marks of direction as their codes: they would turn around what stands beside them. Joiners are letters' own. */
export function readable(value: string): string {
  return value.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, codeOf);
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A part of an address without its percent-encoding; one that is none stays. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
