/** Owns: the shape of a query that ends with its signal, and is fresh for a while. */
import { queryOptions } from "@tanstack/react-query";

/** @param staleTime for how long the answer is not read again, in milliseconds */
export function reading<Data, const Key extends readonly unknown[]>(
  queryKey: Key,
  read: (signal: AbortSignal) => Promise<Data>,
  staleTime?: number,
) {
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    ...(staleTime === undefined ? {} : { staleTime }),
  });
}
