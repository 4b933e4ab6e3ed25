/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const wallets: Wing = {
  name: "wallets",
  summary: "sign-in with a message that an Ethereum or Solana wallet has signed",
  auth: { wallets: () => import("./sign-in.ts") },
};
