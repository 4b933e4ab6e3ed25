/** The form of refresh tokens that carry a counter. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createTokenKey,
  encodeCountedToken,
  isSignedBy,
  parseCountedToken,
} from "../../../src/auth/sessions/refresh-token.ts";

describe("a counted token", () => {
  it("reads back as it was written, for every counter a column can hold", () => {
    const key = createTokenKey();
    fc.assert(
      fc.property(fc.uuid(), fc.bigInt(0n, (1n << 63n) - 1n), (sessionId, counter) => {
        const token = parseCountedToken(encodeCountedToken(sessionId, counter, key));
        expect(token).toMatchObject({ sessionId, counter });
        expect(token && isSignedBy(token, key)).toBe(true);
        expect(token && isSignedBy(token, createTokenKey())).toBe(false);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it("is none when any character of it is changed", () => {
    const token = encodeCountedToken("6f1b3c1e-8f0c-4a55-9a3e-1d2f3a4b5c6d", 300n, createTokenKey());
    for (let at = 0; at < token.length - 1; at += 1) {
      const other = token[at] === "A" ? "B" : "A";
      expect(parseCountedToken(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBeUndefined();
    }
  });

  it("is none of arbitrary text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(parseCountedToken(text)).toBeUndefined();
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});
