/**
 * Owns a backtracking scanner with Parsec's error messages. Clients see errors worded by that library, so its
 * rules for keeping, merging and dropping expectations are reproduced exactly (Parsec 3: `try`, `many`,
 * `<|>`, `<?>`, `notFollowedBy`): consuming a character drops earlier errors; errors of alternatives at one
 * position are merged; of two positions the further one wins.
 */

/** A parse failure. Caught where there is an alternative; the scanner keeps the error to report. */
export class Mismatch extends Error {}

// One shared object: a failed alternative is ordinary control flow and needs no stack trace.
const mismatch = new Mismatch("mismatch");

interface Failure {
  at: number;
  /** The unexpected character ("" at the end of the text); only the first one is reported. */
  met?: string;
  /** An unexpected item reported by `notFollowedBy`. */
  unwanted: readonly string[];
  expected: readonly string[];
}

const NONE: readonly string[] = [];
const LETTER = /\p{L}/u;
const TAB_STOP = 8;

/**
 * Brackets inside brackets: each level takes stack here, in planning and in Postgres. Upstream has no limit of its own;
 * no query of an application comes near.
 */
const MOST_LEVELS = 100;

/** The text is nested too deeply to be read. */
export class TooDeep extends Error {}

export class Scanner {
  readonly text: string;
  at = 0;
  #levels = 0;
  /** Errors at or after this position since a character was consumed. */
  #failure: Failure | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The current character, "" at the end. Astral characters are whole. */
  peek(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Advances and drops earlier errors. */
  advance(length: number): void {
    this.at += length;
    this.#failure = undefined;
  }

  /**
   * Consumes a regular expression's match; null, without recording an error, when it does not match. Only for
   * texts that cannot fail otherwise.
   */
  shortcut(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text);
    if (found) this.advance(found[0].length);
    return found;
  }

  /** Fails here without an expectation. */
  fail(): never {
    throw mismatch;
  }

  /** Consumes one character if it is next. */
  take(character: string, label = JSON.stringify(character)): boolean {
    if (this.startsWith(character)) {
      this.advance(character.length);
      return true;
    }
    this.#met(this.at, this.at, [label]);
    return false;
  }

  /** Consumes one character or fails. */
  expect(character: string, label?: string): void {
    if (!this.take(character, label)) throw mismatch;
  }

  /** Consumes a word if it is next, as a whole. */
  takeWord(word: string): boolean {
    if (this.startsWith(word)) {
      this.advance(word.length);
      return true;
    }
    this.#met(this.at, this.at + this.#shared(word), [JSON.stringify(word)]);
    return false;
  }

  /** Consumes a word if it is next, ignoring case. */
  takeAnyCase(word: string): boolean {
    const here = this.text.slice(this.at, this.at + word.length).toLowerCase();
    if (here === word) {
      this.advance(word.length);
      return true;
    }
    let shared = 0;
    while (here[shared] === word[shared]) shared += 1;
    this.#met(this.at + shared, this.at + shared, NONE);
    return false;
  }

  /** Consumes a word or fails; after its first character only `attempt` can backtrack. */
  expectWord(word: string): void {
    const shared = this.#shared(word);
    if (shared > 0 && shared < word.length) {
      this.#failure = undefined;
      this.#met(this.at, this.at + shared, [JSON.stringify(word)]);
      this.at += shared;
      throw mismatch;
    }
    if (!this.takeWord(word)) throw mismatch;
  }

  /** Whether a word is next; consumes nothing. */
  sees(word: string): boolean {
    if (this.startsWith(word)) return true;
    this.#met(this.at, this.at + this.#shared(word), [JSON.stringify(word)]);
    return false;
  }

  /** Whether this is the end of the text. */
  seesEnd(): boolean {
    const here = this.peek();
    if (here === "") this.#add({ at: this.at, met: "", unwanted: NONE, expected: ["end of input"] });
    else this.#add({ at: this.at, unwanted: [showCharacter(here)], expected: ["end of input"] });
    return here === "";
  }

  /** Consumes any one character; fails at the end. */
  takeCharacter(): string {
    const here = this.peek();
    if (here === "") {
      this.#met(this.at, this.at, NONE);
      throw mismatch;
    }
    this.advance(here.length);
    return here;
  }

  /** Consumes characters while `accept` holds; `labels` are the expectations recorded at its end. */
  takeWhile(accept: (character: string) => boolean, labels: readonly string[] = NONE): string {
    const from = this.at;
    let character = this.peek();
    while (character && accept(character)) {
      this.at += character.length;
      character = this.peek();
    }
    if (this.at > from) this.#failure = undefined;
    this.#met(this.at, this.at, labels);
    return this.text.slice(from, this.at);
  }

  /** Like `takeWhile`, but fails when nothing matches. */
  takeSome(accept: (character: string) => boolean, labels?: readonly string[]): string {
    const taken = this.takeWhile(accept, labels);
    if (!taken) throw mismatch;
    return taken;
  }

  skipBlanks(): void {
    this.takeWhile((character) => character === " " || character === "\t");
  }

  /** Runs `read`, skipping blanks around it. */
  lexeme<T>(read: () => T): T {
    this.skipBlanks();
    const result = read();
    this.skipBlanks();
    return result;
  }

  /** Fails if `accept` holds for the next character. */
  refuse(accept: (character: string) => boolean, labels: readonly string[] = NONE): void {
    const here = this.peek();
    if (here === "" || !accept(here)) {
      this.#met(this.at, this.at, labels);
      return;
    }
    // Parsec has consumed the character when it reports it as unexpected.
    this.#add({ at: this.at + here.length, unwanted: [showCharacter(here)], expected: NONE });
    throw mismatch;
  }

  /** Checks a depth of nesting. @throws TooDeep */
  requireLevel(level: number): void {
    if (level > MOST_LEVELS) throw new TooDeep();
  }

  /** Runs `read`, which may nest itself. @throws TooDeep */
  nested<T>(read: () => T): T {
    this.#levels += 1;
    this.requireLevel(this.#levels);
    try {
      return read();
    } finally {
      this.#levels -= 1;
    }
  }

  /** Runs `read`; on failure, restores the position and returns undefined. */
  attempt<T>(read: () => T): T | undefined {
    const from = this.at;
    const before = this.#failure;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (this.at > from) {
        const inside = this.#failure;
        this.#failure = before;
        if (inside) this.#add(inside);
        this.at = from;
      }
      return undefined;
    }
  }

  /** Runs `read`; returns undefined when it fails without consuming anything. */
  option<T>(read: () => T): T | undefined {
    const from = this.at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Mismatch) || this.at !== from) throw error;
      return undefined;
    }
  }

  /** Repeats `read` until it fails without consuming anything. */
  many<T>(read: () => T, into: T[] = []): T[] {
    for (let first = true; ; first = false) {
      const from = this.at;
      if (!first) this.#failure = undefined;
      try {
        into.push(read());
      } catch (error) {
        if (!(error instanceof Mismatch) || this.at !== from) throw error;
        return into;
      }
    }
  }

  /** One or more of `read`, with `separator` between them. */
  separated<T>(read: () => T, separator: () => void): T[] {
    return this.many(() => {
      separator();
      return read();
    }, [read()]);
  }

  /** Runs `read`; replaces the expectations at its first position with `label`. */
  labelled<T>(label: string, read: () => T): T {
    const from = this.at;
    const before = this.#failure;
    this.#failure = undefined;
    const relabel = () => {
      if (this.at !== from) return;
      const own = this.#failure as Failure | undefined;
      this.#failure = before;
      if (own) this.#add({ ...own, expected: [label] });
    };
    try {
      const result = read();
      relabel();
      return result;
    } catch (error) {
      if (error instanceof Mismatch) relabel();
      throw error;
    }
  }

  /** The position of the failure, as `(line L, column C)` from 1, and its reason, on one line. */
  failure(): { position: string; details: string } {
    const { at, met, unwanted, expected } = this.#failure ?? { at: this.at, unwanted: NONE, expected: NONE };
    const parts: string[] = [];
    if (unwanted.length > 0) parts.push(`unexpected ${alternatives(unwanted)}`);
    else if (met !== undefined) parts.push(`unexpected ${met === "" ? "end of input" : met}`);
    if (expected.length > 0) parts.push(`expecting ${alternatives(expected)}`);
    return {
      position: positionOf(this.text.slice(0, at)),
      details: parts.length > 0 ? parts.join(" ") : "unknown parse error",
    };
  }

  /** Number of matching characters of `word`. */
  #shared(word: string): number {
    let count = 0;
    while (count < word.length && this.text[this.at + count] === word[count]) count += 1;
    return count;
  }

  /** Records an expectation at `at`; the unexpected text is at `culprit`. */
  #met(at: number, culprit: number, expected: readonly string[]): void {
    const code = this.text.codePointAt(culprit);
    const met = code === undefined ? "" : showText(String.fromCodePoint(code));
    this.#add({ at, met, unwanted: NONE, expected });
  }

  #add(other: Failure): void {
    const own = this.#failure;
    if (!own || other.at > own.at) this.#failure = other;
    else if (other.at === own.at) {
      this.#failure = {
        at: own.at,
        met: own.met ?? other.met,
        unwanted: [...own.unwanted, ...other.unwanted],
        expected: [...own.expected, ...other.expected],
      };
    }
  }
}

function alternatives(all: readonly string[]): string {
  const different = [...new Set(all)];
  const last = different.pop();
  return different.length === 0 ? String(last) : `${different.join(", ")} or ${last}`;
}

function positionOf(before: string): string {
  let line = 1;
  let column = 1;
  for (const character of before) {
    if (character === "\n") {
      line += 1;
      column = 1;
    } else if (character === "\t") column += TAB_STOP - ((column - 1) % TAB_STOP);
    else column += 1;
  }
  return `(line ${line}, column ${column})`;
}

const CONTROLS = [
  ..."NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB".split(" "),
  ..."ESC FS GS RS US".split(" "),
];

/** A character in Haskell's `show` format, without the quotes. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 127) return `\\${code}`;
  if (code === 127) return "\\DEL";
  if (character === "\\") return "\\\\";
  return code < 32 ? `\\${CONTROLS[code]}` : character;
}

function showCharacter(character: string): string {
  return character === "'" ? "'\\''" : `'${escaped(character)}'`;
}

function showText(character: string): string {
  return character === '"' ? '"\\""' : `"${escaped(character)}"`;
}

export function isLetter(character: string): boolean {
  return LETTER.test(character);
}
