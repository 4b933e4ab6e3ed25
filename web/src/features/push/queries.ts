/** Owns: reading whether this device shows notifications to a person. */

import { reading } from "../../lib/reading.ts";
import { readPushState } from "./device.ts";

export const pushQueries = {
  state: (me: string) => reading(["push", me], (signal) => readPushState(me, signal)),
};
