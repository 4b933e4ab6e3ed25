/** Owns: inviting from a plan at which nobody else sits yet: its link, ready to be copied or shared. */
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { freshInvite, makeInvite } from "../fresh.ts";
import { inviteWords } from "../words.ts";
import { CopyLink } from "./copy-link.tsx";

export function FirstInvite({ plan }: { plan: string }) {
  const words = inviteWords();
  const make = useMutation({ mutationFn: () => makeInvite(plan) });
  const address = make.data ?? freshInvite(plan);
  return (
    <section aria-label={words.first.heading} className="paper flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-lg">{words.first.heading}</h2>
        <p className="text-sm text-ink-soft">{words.link.text.plan}</p>
      </div>
      {address ? (
        <CopyLink label={words.link.field} address={address} share={words.link.shareText} />
      ) : (
        <Button look="action" className="self-start" busy={make.isPending} onPress={() => make.mutate()}>
          {words.first.make}
        </Button>
      )}
      {make.isError ? <ErrorNotice error={make.error} /> : null}
    </section>
  );
}
