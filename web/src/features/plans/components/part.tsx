/** Owns: lazily loaded parts of the plan screen, with a skeleton meanwhile. */
import { type ReactNode, Suspense } from "react";
import { Loading, Skeleton } from "../../../ui/notice.tsx";
import { planWords } from "../words/plan.ts";

export function Part({ children }: { children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <Loading what={planWords().loading}>
          <div className="flex flex-col gap-3 p-1">
            <Skeleton className="h-24 w-full" />
            <Skeleton className="h-24 w-full" />
          </div>
        </Loading>
      }
    >
      {children}
    </Suspense>
  );
}
