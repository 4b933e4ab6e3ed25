/** Owns: inviting from a plan at which nobody else sits yet: its link, ready to be copied or shared. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { makeInvite, useFreshInvite } from "../fresh.ts";
import type { Target } from "../queries.ts";
import { inviteQueries } from "../queries.ts";
import { inviteWords } from "../words.ts";

const KeepHostSeat = lazyOptional(async () => (await import("./keep-seat.tsx")).KeepHostSeat);

export function FirstInvite({ plan }: { plan: string }) {
  const words = inviteWords();
  const target: Target = { kind: "plan", id: plan };
  const address = useFreshInvite(plan);
  const links = useQuery({ ...inviteQueries.links(target), enabled: address === undefined });
  const make = useChange(() => makeInvite(target), ["invites", plan]);
  const hasLinks = (links.data?.length ?? 0) > 0;
  return (
    <section aria-label={words.first.heading} className="paper flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-lg">{words.first.heading}</h2>
        <p className="text-sm text-ink-soft">
          {words.link.text.plan} {address === undefined && hasLinks ? words.link.stays : ""}
        </p>
      </div>
      {address ? (
        <CopyLink label={words.link.field} address={address} share={words.link.shareText} />
      ) : (
        <Button look="action" className="self-start" busy={make.isPending} onPress={() => make.mutate()}>
          {hasLinks ? words.link.another : words.first.make}
        </Button>
      )}
      {make.isError ? <ErrorNotice error={make.error} /> : null}
      <KeepHostSeat />
    </section>
  );
}
