/** TOTP codes, and the QR code with their secret. */
import { describe, expect, it } from "vitest";
import { qrGrid, qrSvg } from "../../../src/auth/factors/qr-code.ts";
import {
  base32,
  createSecret,
  fromBase32,
  totpCode,
  totpStep,
  totpUri,
} from "../../../src/auth/factors/totp.ts";

describe("base32", () => {
  it.each([
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foobar", "MZXW6YTBOI"],
  ])("writes %s as %s (RFC 4648), and reads it", (text, coded) => {
    expect(base32(Buffer.from(text))).toBe(coded);
    expect(fromBase32(coded.toLowerCase()).toString()).toBe(text);
  });
});

describe("a time-based code", () => {
  const secret = base32(Buffer.from("12345678901234567890"));

  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [20_000_000_000, "353130"],
  ])("at second %i is %s (RFC 6238, appendix B)", (seconds, code) => {
    expect(totpCode(secret, seconds * 1_000)).toBe(code);
  });

  it("counts one step early and late, not two", () => {
    const now = 1_700_000_000_000;
    const at = (steps: number) => totpStep(secret, totpCode(secret, now + steps * 30_000), now) !== undefined;
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([false, true, true, true, false]);
  });

  it("has an address that keeps colon and at-sign, and escapes the rest", () => {
    expect(totpUri("My App", "a+b@example.com", "ABC")).toBe(
      "otpauth://totp/My%20App:a%2Bb@example.com?algorithm=SHA1&digits=6&issuer=My%20App&period=30&secret=ABC",
    );
    expect(createSecret()).not.toBe(createSecret());
  });
});

/** Reads a version 1 code (one block, no alignment pattern) as a scanner would, without correction. */
function scan(grid: boolean[][]): string {
  const dark = (x: number, y: number) => grid[y]?.[x] === true;
  let format = 0;
  for (let index = 14; index >= 9; index--) format = (format << 1) | Number(dark(14 - index, 8));
  const number = (((format << 9) ^ 0x5412) >>> 10) & 7;
  const flips: ((x: number, y: number) => boolean)[] = [
    (x, y) => (x + y) % 2 === 0,
    (_x, y) => y % 2 === 0,
    (x) => x % 3 === 0,
    (x, y) => (x + y) % 3 === 0,
    (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
    (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
    (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
    (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
  ];
  const bits: number[] = [];
  for (let pair = 0; pair < 10; pair++) {
    const right = pair < 7 ? 20 - pair * 2 : 19 - pair * 2;
    for (let step = 0; step < 21; step++) {
      const y = pair % 2 === 0 ? 20 - step : step;
      for (const x of [right, right - 1]) {
        const reserved = y === 6 || (y < 9 && (x < 9 || x > 12)) || (y > 12 && x < 9);
        if (!reserved) bits.push(Number(dark(x, y) !== flips[number]?.(x, y)));
      }
    }
  }
  const take = (from: number, count: number) =>
    bits.slice(from, from + count).reduce((value, bit) => value * 2 + bit, 0);
  const length = take(4, 8);
  return Buffer.from(Array.from({ length }, (_, index) => take(12 + index * 8, 8))).toString();
}

describe("a QR code", () => {
  it("says what it was given", () => {
    for (const text of ["HOMEBASE", "nosh", "a b c é"]) expect(scan(qrGrid(text))).toBe(text);
  });

  it("grows with its text, up to what the largest version holds", () => {
    expect(qrGrid("x".repeat(14))).toHaveLength(21);
    expect(qrGrid("x".repeat(15))).toHaveLength(25);
    expect(qrGrid("x".repeat(150))).toHaveLength(49);
    expect(() => qrGrid("x".repeat(2_000))).toThrow(RangeError);
  });

  it("is drawn with a quiet zone of four modules", () => {
    expect(qrSvg("nosh")).toMatch(/^<svg [^>]*viewBox="0 0 29 29"/);
    // auth-js puts it behind data:image/svg+xml;utf-8, unchanged, where these two mean something else.
    expect(qrSvg("nosh")).not.toMatch(/[#%]/);
  });
});
