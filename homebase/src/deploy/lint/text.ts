/** Owns hiding what is no statement in SQL text: comments, strings and bodies become blanks of the same length. */

const HIDDEN = /--[^\n]*|\/\*[\s\S]*?\*\/|(?:\be)?'(?:[^'\\]|\\.|'')*'|\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/gi;

/** Offsets stay; quoted names stay. */
export function hideText(sql: string): string {
  return sql.replace(HIDDEN, (hidden) => hidden.replace(/[^\n]/g, " "));
}
