/** Owns: handing a decided plan to people: with the device's share sheet, or else by the clipboard. */
import { useChange } from "../../../lib/change.ts";
import { formatTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { inviteToShare } from "../fresh.ts";
import { inviteWords } from "../words.ts";
import { CopyLink } from "./copy-link.tsx";

/** Shares an invite link for hosts, as anybody may join by it, and the plan's own link for guests. */
export function SharePlan({ plan, host, viewerZone }: { plan: Plan; host: boolean; viewerZone: string }) {
  const words = planWords().ticket;
  const time = chosenTime(plan);
  const place = chosenPlace(plan);
  const text = words.shared(
    plan.title,
    // The address of a home is for the people at the table.
    [place?.name, place?.place_homes ? "" : place?.address].filter(Boolean).join(", "),
    time ? formatTime(time.starts_at, plan.time_zone, viewerZone) : "",
  );
  const share = useChange(async () => {
    const url = host
      ? await inviteToShare({ kind: "plan", id: plan.id })
      : new URL(`/plans/${plan.id}`, location.origin).href;
    return { url, outcome: await handOn({ title: plan.title, text, url }) };
  }, ["invites", plan.id]);
  const { outcome, url = "" } = share.data ?? {};
  return (
    <>
      <Button busy={share.isPending} onPress={() => share.mutate()}>
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
      {share.isError ? <ErrorNotice error={share.error} /> : null}
    </>
  );
}

/** Gives a link to the device's share sheet, or else to the clipboard. Dismissing the sheet is not an error. */
async function handOn(data: { title: string; text: string; url: string }) {
  try {
    if (navigator.canShare?.(data)) {
      await navigator.share(data);
      return "shared";
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return "shared";
  }
  return navigator.clipboard.writeText(`${data.text}\n${data.url}`).then(
    () => "copied" as const,
    () => "refused" as const,
  );
}
