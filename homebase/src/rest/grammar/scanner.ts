/**
 * Owns reading a text from left to right with backtracking, and saying why it failed as Parsec says it:
 * the errors that clients see are worded by that library, so its rules of keeping, merging and dropping
 * what was expected are followed to the letter (Parsec 3: `try`, `many`, `<|>`, `<?>`, `notFollowedBy`).
 *
 * Whoever consumes a character forgets what failed before it; alternatives that fail at the same place add
 * up; of two places the further one counts.
 */

/** Reading cannot go on. Caught where there is an alternative; what to report is the scanner's. */
export class Mismatch extends Error {}

// One shared object: a failed alternative is ordinary control flow and needs no stack of its own.
const mismatch = new Mismatch("mismatch");

interface Failure {
  at: number;
  /** What was met instead ("" at the end of the text); only the first one met is told. */
  met?: string | undefined;
  /** What is there and must not be. */
  unwanted: readonly string[];
  expected: readonly string[];
}

const NONE: readonly string[] = [];
const LETTER = /\p{L}/u;
const TAB_STOP = 8;

export class Scanner {
  readonly text: string;
  at = 0;
  /** What failed at or after this place since a character was consumed. */
  #failure: Failure | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The character here, "" at the end. Astral characters are whole. */
  peek(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Goes on without a trace of what failed before. */
  advance(length: number): void {
    this.at += length;
    this.#failure = undefined;
  }

  /** What matches here, consumed; null without a trace: only for texts that cannot fail otherwise. */
  shortcut(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text);
    if (found) this.advance(found[0].length);
    return found;
  }

  /** Fails here without saying what was expected. */
  fail(): never {
    throw mismatch;
  }

  /** Takes one character if it is next. */
  take(character: string, label = JSON.stringify(character)): boolean {
    if (this.startsWith(character)) {
      this.advance(character.length);
      return true;
    }
    this.#met(this.at, this.at, [label]);
    return false;
  }

  /** Takes one character or fails. */
  expect(character: string, label?: string): void {
    if (!this.take(character, label)) throw mismatch;
  }

  /** Takes a word if it is next, all or nothing. */
  takeWord(word: string): boolean {
    if (this.startsWith(word)) {
      this.advance(word.length);
      return true;
    }
    this.#met(this.at, this.at + this.#shared(word), [JSON.stringify(word)]);
    return false;
  }

  /** Takes a word, written large or small, if it is next. */
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

  /** Takes a word or fails; having seen its beginning there is no way back but `attempt`. */
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

  /** Whether a word is next, taking nothing. */
  sees(word: string): boolean {
    if (this.startsWith(word)) return true;
    this.#met(this.at, this.at + this.#shared(word), [JSON.stringify(word)]);
    return false;
  }

  /** Whether the text ends here. */
  seesEnd(): boolean {
    const here = this.peek();
    if (here === "") this.#add({ at: this.at, met: "", unwanted: NONE, expected: ["end of input"] });
    else this.#add({ at: this.at, unwanted: [showCharacter(here)], expected: ["end of input"] });
    return here === "";
  }

  /** Takes any one character or fails at the end. */
  takeCharacter(): string {
    const here = this.peek();
    if (here === "") {
      this.#met(this.at, this.at, NONE);
      throw mismatch;
    }
    this.advance(here.length);
    return here;
  }

  /** Takes characters while `accept` holds; `labels` say what would have gone on. */
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

  /** Like `takeWhile`, but fails when there is nothing to take. */
  takeSome(accept: (character: string) => boolean, labels?: readonly string[]): string {
    const taken = this.takeWhile(accept, labels);
    if (!taken) throw mismatch;
    return taken;
  }

  skipBlanks(): void {
    this.takeWhile((character) => character === " " || character === "\t");
  }

  /** What `read` reads, blanks around it skipped. */
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
    // Parsec has taken the character when it finds that it must not be there.
    this.#add({ at: this.at + here.length, unwanted: [showCharacter(here)], expected: NONE });
    throw mismatch;
  }

  /** Runs `read`; when it fails, goes back to where it began and returns undefined. */
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

  /** Runs `read`; when it fails having consumed nothing, returns undefined. */
  option<T>(read: () => T): T | undefined {
    const from = this.at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Mismatch) || this.at !== from) throw error;
      return undefined;
    }
  }

  /** Runs `read` until it fails having consumed nothing. */
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

  /** Runs `read`; what it expected at its very beginning is told as `label`. */
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

  /** Where reading failed, as `(line L, column C)` from 1, and why, on one line. */
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

  /** How many characters of `word` are next. */
  #shared(word: string): number {
    let count = 0;
    while (count < word.length && this.text[this.at + count] === word[count]) count += 1;
    return count;
  }

  /** Notes that at `at` something else was expected than what is at `culprit`. */
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

/** A character as Haskell shows it inside quotes. */
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
