/** Owns: a host's actions on the whole plan, and leaving it as a guest. */
import { useNavigate } from "@tanstack/react-router";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { InviteSheet } from "../../invites/components/invite-sheet.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { stateOf } from "../../plans/domain.ts";
import { cancelPlan, removeMember, reopenPlan, restorePlan } from "../../plans/mutations.ts";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";
import { ManageSheet } from "./manage-sheet.tsx";

interface HostActionsProps {
  plan: Plan;
  me: string;
  now: number;
  host: boolean;
  /** Without an account: invites by link only. */
  guest: boolean;
  /** Whether inviting has no place elsewhere on the screen. */
  invite: boolean;
}

export function HostActions({ plan, me, now, host, guest, invite }: HostActionsProps) {
  const words = planWords().host;
  const leave = planWords().leave;
  const action = usePlanAction(plan.id);
  const announce = useAnnounce();
  const navigate = useNavigate();
  const state = stateOf(plan, now);
  const run = (change: () => Promise<unknown>, announcement: string) =>
    action.mutate(change, { onSuccess: () => announce(announcement) });
  return (
    <div className="flex flex-col gap-3">
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <div className="flex flex-wrap gap-2">
        {invite && host && (state === "polling" || state === "confirmed") ? (
          <InviteSheet target={{ kind: "plan", id: plan.id }} byMail={!guest} />
        ) : null}
        {host && (state === "polling" || state === "confirmed") ? (
          <ManageSheet
            plan={plan}
            me={me}
            now={now}
            busy={action.isPending}
            reopen={() => run(() => reopenPlan(plan.id), words.reopened)}
            cancel={() => run(() => cancelPlan(plan.id), words.cancelled)}
          />
        ) : null}
        {state === "done" ? (
          <ButtonLink to="/plans/new" search={{ again: plan.id }} look="action">
            {words.again}
          </ButtonLink>
        ) : null}
        {host && state === "cancelled" ? (
          <Button
            look="action"
            busy={action.isPending}
            onPress={() => run(() => restorePlan(plan.id), words.restored)}
          >
            {words.restore}
          </Button>
        ) : null}
        {host ? null : (
          <Sheet title={leave.title} trigger={<Button look="plain">{leave.open}</Button>}>
            {(close) => (
              <>
                <p className="text-ink-soft">{leave.text}</p>
                <Button
                  look="action"
                  busy={action.isPending}
                  onPress={() => {
                    action.mutate(() => removeMember(plan.id, me), {
                      onSuccess: () => void navigate({ to: "/home" }),
                    });
                    close();
                  }}
                >
                  {leave.do}
                </Button>
              </>
            )}
          </Sheet>
        )}
      </div>
    </div>
  );
}
