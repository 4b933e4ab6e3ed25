/** Tests links.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { piecesOf } from "./links.ts";

const links = (text: string) => piecesOf(text).flatMap((piece) => ("href" in piece ? [piece.href] : []));

describe("links in a message", () => {
  it("are addresses of the web, without what ends the sentence", () => {
    expect(links("See https://example.com/menu?x=1#top, ok?")).toEqual(["https://example.com/menu?x=1#top"]);
    expect(links("(https://example.com/a_(b))")).toEqual(["https://example.com/a_(b)"]);
    expect(links("http://example.com.")).toEqual(["http://example.com/"]);
  });

  it("are nothing else that looks like one", () => {
    for (const text of [
      "javascript:alert(1)",
      "data:text/html,x",
      "xhttps://example.com",
      "https://",
      "ftp://example.com",
      "example.com",
    ]) {
      expect(links(text), text).toEqual([]);
    }
  });

  it("lose no letter of the text", () => {
    const text = fc
      .array(fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom("https://", "(", ")", ". ", "\n")))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (written) => {
        expect(
          piecesOf(written)
            .map((piece) => piece.text)
            .join(""),
        ).toBe(written);
        for (const href of links(written)) expect(href).toMatch(/^https?:\/\//);
      }),
    );
  });
});
