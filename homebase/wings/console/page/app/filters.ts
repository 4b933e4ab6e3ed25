/** Owns the saved filters of the Feed. */
export const FILTERS = [
  ["All", ""],
  ["Failed", "is:failed"],
  ["Empty", "is:empty"],
  ["Slow", "is:slow"],
  ["REST", "service:rest"],
  ["Auth", "service:auth"],
  ["Storage", "service:storage"],
  ["Functions", "service:functions"],
  ["Realtime", "service:realtime"],
  ["Mail", "is:mail"],
  ["Jobs", "is:job"],
  ["Log", "is:log"],
] as const;
