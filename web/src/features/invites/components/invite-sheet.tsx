/** Owns: making a link and handing it on. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { UsersIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";

export function InviteSheet({
  what,
  create,
  look = "quiet",
}: {
  /** "this plan" */
  what: string;
  create: () => Promise<string>;
  look?: "action" | "quiet";
}) {
  return (
    <Sheet
      title="Invite by link"
      trigger={
        <Button look={look}>
          <UsersIcon aria-hidden className="size-5" /> Invite
        </Button>
      }
    >
      {() => <InviteForm what={what} create={create} />}
    </Sheet>
  );
}

function InviteForm({ what, create }: { what: string; create: () => Promise<string> }) {
  const invite = useMutation({ mutationFn: create });
  const [copied, setCopied] = useState(false);
  const copy = async (address: string) => {
    await navigator.clipboard.writeText(address);
    setCopied(true);
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Whoever has the link takes a seat at {what}. It works for 14 days and 20 people; a name is enough, no
        account needed.
      </p>
      {invite.data ? (
        <>
          <Field label="The link" value={invite.data} isReadOnly />
          <Button look="action" onPress={() => void copy(invite.data)}>
            {copied ? "Copied" : "Copy it"}
          </Button>
          <p role="status" className="sr-only">
            {copied ? "The link is in your clipboard." : ""}
          </p>
        </>
      ) : (
        <Button look="action" busy={invite.isPending} onPress={() => invite.mutate()}>
          Make a link
        </Button>
      )}
      {invite.isError ? <ErrorNotice error={invite.error} /> : null}
    </div>
  );
}
