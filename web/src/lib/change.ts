/** Owns: changes on the server after which a part of the cache is read again. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";

/** @param keys of the queries to read again, whether the change worked or not; without any all of them */
export function useChange<Data, Variables = void>(
  change: (variables: Variables) => Promise<Data>,
  ...keys: QueryKey[]
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () =>
      Promise.all((keys.length > 0 ? keys : [[]]).map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
