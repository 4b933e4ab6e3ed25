/** Owns the public development key that every local stack has. */
export const developmentKeys = { publishable: "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH" } as const;
