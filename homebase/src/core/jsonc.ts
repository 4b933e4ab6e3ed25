/** Owns reading JSON that people write: with comments and trailing commas. */

/** @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  return JSON.parse(
    text.replace(
      /("(?:\\.|[^"\\])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*|,(?=\s*[}\]])/g,
      (_whole, quoted?: string) => quoted ?? "",
    ),
  );
}
