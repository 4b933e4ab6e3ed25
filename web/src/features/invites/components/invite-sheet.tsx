/** Owns: the way to inviting. The form is fetched when it is opened. */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import { UsersIcon } from "../../../ui/icons.ts";
import { Skeleton } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import type { Target } from "../queries.ts";
import { inviteWords } from "../words.ts";

const InviteForm = lazy(async () => ({ default: (await import("./invite-form.tsx")).InviteForm }));

/** @param byMail whether this person may invite by mail too; guests may not */
export function InviteSheet({
  look = "quiet",
  target,
  byMail = true,
}: {
  look?: "action" | "quiet" | "plain";
  target: Target;
  byMail?: boolean;
}) {
  const words = inviteWords();
  return (
    <Sheet
      title={words.title}
      trigger={
        <Button look={look}>
          <UsersIcon aria-hidden className="size-5" /> {words.invite}
        </Button>
      }
    >
      {() => (
        <Suspense fallback={<Skeleton className="h-64" />}>
          <InviteForm target={target} byMail={byMail} />
        </Suspense>
      )}
    </Sheet>
  );
}
