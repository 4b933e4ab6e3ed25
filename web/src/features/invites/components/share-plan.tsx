/** Owns: handing a decided plan to people: with the device's share sheet, or else by the clipboard. */
import { useChange } from "../../../lib/change.ts";
import { shareOrCopy } from "../../../lib/device/share.ts";
import { formatTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { inviteToShare } from "../fresh.ts";
import { inviteWords } from "../words.ts";

/** A host shares an invite link, by which anybody may join; a guest shares the plan's address, where one asks the hosts. */
export function SharePlan({ plan, host }: { plan: Plan; host: boolean }) {
  const words = planWords().ticket;
  const time = chosenTime(plan);
  const place = chosenPlace(plan);
  // The table's time only: the sender's own is not the reader's.
  const text = words.shared(
    plan.title,
    // The address of a home is for the people at the table.
    [place?.name, place?.place_homes ? "" : place?.address].filter(Boolean).join(", "),
    time ? formatTime(time.starts_at, plan.time_zone, plan.time_zone) : "",
  );
  const handing = useChange(async () => {
    const url = host
      ? await inviteToShare({ kind: "plan", id: plan.id })
      : new URL(`/plans/${plan.id}`, location.origin).href;
    return { url, outcome: await shareOrCopy({ title: plan.title, text, url }) };
  }, ["invites", plan.id]);
  const { outcome, url = "" } = handing.data ?? {};
  return (
    <>
      <Button busy={handing.isPending} onPress={() => handing.mutate()}>
        {words.share}
      </Button>
      <p role="status" className="order-last text-sm empty:hidden">
        {outcome === "copied" ? words.copied : outcome === "refused" ? words.notCopied : ""}
      </p>
      {outcome === "refused" ? (
        <div className="order-last w-full">
          <CopyLink label={inviteWords().link.heading} address={url} look="quiet" />
        </div>
      ) : null}
      {handing.isError ? <ErrorNotice error={handing.error} /> : null}
    </>
  );
}
