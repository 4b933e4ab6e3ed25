/** Owns the list of accounts that the seed creates and `npm run dev` shows. */
export const demoPassword = "nosh-demo";
export const demoAccounts = ["ana@nosh.test", "ben@nosh.test"] as const;
