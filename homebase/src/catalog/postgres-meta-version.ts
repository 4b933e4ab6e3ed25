/** Owns the version of postgres-meta that this interface follows. */
export const VERSION = "0.99.0";
