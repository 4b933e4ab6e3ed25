/** Owns: a query's states: loading, failed, and loaded. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNotice, Loading, type LoadingProps } from "./notice.tsx";

/** A failed refetch leaves the earlier data on the screen. */
export function Loaded<Data>({
  query,
  children,
  ...loading
}: LoadingProps & {
  query: Pick<UseQueryResult<Data>, "data" | "error" | "isPending" | "refetch">;
  children: (data: Data) => ReactNode;
}) {
  if (query.isPending) return <Loading {...loading} />;
  if (query.data === undefined) {
    return (
      <ErrorNotice page={loading.page ?? false} error={query.error} retry={() => void query.refetch()} />
    );
  }
  return children(query.data);
}
