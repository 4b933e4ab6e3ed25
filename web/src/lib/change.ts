/** Owns: changes on the server after which a part of the cache is read again. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/** @param key of the queries to read again, whether the change worked or not; without one all of them */
export function useChange<Data, Variables = void>(
  change: (variables: Variables) => Promise<Data>,
  key?: QueryKey,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queries.invalidateQueries(key && { queryKey: key }),
  });
}
