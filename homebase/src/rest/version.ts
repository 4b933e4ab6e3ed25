/** Owns which version of PostgREST this interface says to be. */
export const VERSION = "16.5";
