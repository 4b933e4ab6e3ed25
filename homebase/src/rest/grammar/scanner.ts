/**
 * Owns reading a text from left to right: position, backtracking, and the furthest place where reading
 * failed together with everything that would have been accepted there, as Parsec reports it.
 */

/** Reading cannot go on. Caught where there is an alternative; what to report is the scanner's. */
export class Mismatch extends Error {}

// One shared object: a failed alternative is ordinary control flow and needs no stack of its own.
const mismatch = new Mismatch("mismatch");

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

export class Scanner {
  readonly text: string;
  at = 0;
  #furthest = 0;
  #expected: string[] = [];
  #unexpected: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** Fails here, having expected `label`. */
  fail(label: string): never {
    this.note(label);
    throw mismatch;
  }

  /** Says that `label` would have been accepted here too, and goes on. */
  note(label: string): void {
    if (this.at > this.#furthest) {
      this.#furthest = this.at;
      this.#expected = [];
      this.#unexpected = undefined;
    }
    if (this.at === this.#furthest && !this.#expected.includes(label)) this.#expected.push(label);
  }

  /** Fails here because of something readable but unknown. */
  reject(unexpected: string): never {
    this.#furthest = this.at;
    this.#expected = [];
    this.#unexpected = unexpected;
    throw mismatch;
  }

  /** The character here, "" at the end. Astral characters are whole. */
  peek(): string {
    const code = this.text.codePointAt(this.at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Takes `token` if it is next. */
  take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  /** Takes `token` or fails with `label` (default: the token in quotes). */
  expect(token: string, label = `"${token}"`): void {
    if (!this.take(token)) this.fail(label);
  }

  /** Takes characters while `accept` holds. */
  takeWhile(accept: (character: string) => boolean): string {
    const from = this.at;
    for (let character = this.peek(); character && accept(character); character = this.peek()) {
      this.at += character.length;
    }
    return this.text.slice(from, this.at);
  }

  skipBlanks(): void {
    this.takeWhile((character) => character === " " || character === "\t");
  }

  /** Runs `read`; when it fails, goes back to where it began and returns undefined. */
  attempt<T>(read: () => T): T | undefined {
    const from = this.at;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      this.at = from;
      return undefined;
    }
  }

  /** Runs `read`; a failure at its very beginning is reported as `label` was expected. */
  labelled<T>(label: string, read: () => T): T {
    const from = this.at;
    const before = { furthest: this.#furthest, expected: [...this.#expected], unexpected: this.#unexpected };
    try {
      return read();
    } catch (error) {
      if (error instanceof Mismatch && this.#furthest <= from && this.#unexpected === undefined) {
        this.#furthest = before.furthest;
        this.#expected = before.expected;
        this.#unexpected = before.unexpected;
        this.at = from;
        this.fail(label);
      }
      throw error;
    }
  }

  expectEnd(): void {
    if (!this.done) this.fail("end of input");
  }

  /** Where reading failed (1-based) and why, in Parsec's words on one line. */
  failure(): { column: number; details: string } {
    const code = this.text.codePointAt(this.#furthest);
    const found = code === undefined ? "end of input" : JSON.stringify(String.fromCodePoint(code));
    const expected = this.#expected.filter(Boolean);
    const last = expected.at(-1);
    const list = expected.length > 1 ? `${expected.slice(0, -1).join(", ")} or ${last}` : last;
    const words = [`unexpected ${this.#unexpected ?? found}`];
    if (list) words.push(`expecting ${list}`);
    return { column: this.#furthest + 1, details: words.join(" ") };
  }
}

export function isLetterOrDigit(character: string): boolean {
  return LETTER_OR_DIGIT.test(character);
}
