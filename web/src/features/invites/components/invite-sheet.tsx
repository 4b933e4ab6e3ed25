/** Owns: the way to inviting. The form is fetched when it is opened. */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import { UsersIcon } from "../../../ui/icons.ts";
import { Skeleton } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import type { Target } from "../mutations.ts";
import { inviteWords } from "../words.ts";

const InviteForm = lazy(async () => ({ default: (await import("./invite-form.tsx")).InviteForm }));

export function InviteSheet({ look = "quiet", target }: { look?: "action" | "quiet"; target: Target }) {
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
          <InviteForm target={target} />
        </Suspense>
      )}
    </Sheet>
  );
}
