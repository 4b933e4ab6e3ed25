/** Owns: a plan's own link for its hosts: to copy, and whether others join by it without asking. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { Switch } from "../../../ui/fields/switch.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { planQueries } from "../../plans/queries.ts";
import { openPlanLink } from "../mutations.ts";
import { inviteWords } from "../words.ts";

export function PlanLink({ plan }: { plan: string }) {
  const words = inviteWords().planLink;
  const { data } = useQuery(planQueries.one(plan));
  const change = useChange((open: boolean) => openPlanLink(plan, open), ["plan", plan]);
  return (
    <section aria-label={words.heading} className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="text-lg">{words.heading}</h3>
      <p className="text-ink-soft">{words.text}</p>
      <CopyLink
        label={words.field}
        address={new URL(`/plans/${plan}`, window.location.origin).href}
        look="quiet"
        copyText={words.copy}
      />
      <Switch
        isSelected={change.isPending ? change.variables : (data?.joins_by_link ?? false)}
        isDisabled={!data}
        onChange={(open) => change.mutate(open)}
      >
        {words.open}
      </Switch>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
    </section>
  );
}
