/** Owns: reading whether this device shows notifications to a person. */
import { queryOptions } from "@tanstack/react-query";
import { readPushState } from "./device.ts";

export const pushQueries = {
  state: (me: string) =>
    queryOptions({
      queryKey: ["push", me],
      queryFn: ({ signal }) => readPushState(me, signal),
    }),
};
