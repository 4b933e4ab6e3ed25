/**
 * Owns masking the parts of SQL text that are not statements: comments, strings and bodies become blanks of
 * the same length.
 */

const HIDDEN = /--[^\n]*|\/\*[\s\S]*?\*\/|(?:\be)?'(?:[^'\\]|\\.|'')*'|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/gi;

/** Offsets and quoted names are unchanged. */
export function hideText(sql: string): string {
  return sql.replace(HIDDEN, (hidden) => hidden.replace(/[^\n]/g, " "));
}
