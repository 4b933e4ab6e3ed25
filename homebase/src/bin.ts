/** The entry of the command `homebase`, with all wings. */
import { wings } from "../wings/index.ts";
import { main } from "./cli/main.ts";

/** Runs the command line `args` (without node and script). Resolves to the exit code. */
export const run = (args: readonly string[]): Promise<number> => main(args, wings);
