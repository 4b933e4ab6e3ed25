/** Owns: lazily loaded parts of the plan screen, with a skeleton meanwhile. */
import { type ReactNode, Suspense } from "react";
import { Loading } from "../../../ui/notice.tsx";
import { planWords } from "../words/plan.ts";

export function Part({ children }: { children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <Loading
          what={planWords().loading}
          className="flex flex-col gap-3 p-1"
          shapes={["h-24 w-full", "h-24 w-full"]}
        />
      }
    >
      {children}
    </Suspense>
  );
}
