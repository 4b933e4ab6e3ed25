/** Owns: a part of the plan that is fetched when it is needed, and the bones that stand for it until then. */
import { type ReactNode, Suspense } from "react";
import { Bone, Loading } from "../../../ui/notice.tsx";
import { planWords } from "../words/plan.ts";

export function Part({ children }: { children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <Loading what={planWords().loading}>
          <div className="flex flex-col gap-3 p-1">
            <Bone className="h-24 w-full" />
            <Bone className="h-24 w-full" />
          </div>
        </Loading>
      }
    >
      {children}
    </Suspense>
  );
}
