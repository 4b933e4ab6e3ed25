/** Owns: the way to inviting. The form is fetched when it is opened. */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import { UsersIcon } from "../../../ui/icons.ts";
import { Bone } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { inviteWords } from "../words.ts";
import type { InviteProps } from "./invite-form.tsx";

const InviteForm = lazy(async () => ({ default: (await import("./invite-form.tsx")).InviteForm }));

export function InviteSheet({ look = "quiet", ...props }: InviteProps & { look?: "action" | "quiet" }) {
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
        <Suspense fallback={<Bone className="h-64" />}>
          <InviteForm {...props} />
        </Suspense>
      )}
    </Sheet>
  );
}
