/** Owns the PostgREST version that this interface reports. */
export const VERSION = "16.5";
