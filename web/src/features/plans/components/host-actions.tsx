/** Owns: what a host can do to the whole plan, and how a guest leaves it. */
import { useNavigate } from "@tanstack/react-router";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { InviteSheet } from "../../invites/components/invite-sheet.tsx";
import { createPlanInvite } from "../../invites/mutations.ts";
import { usePlanAction } from "../actions.ts";
import { stateOf } from "../domain.ts";
import { cancelPlan, leavePlan, reopenPlan, restorePlan } from "../mutations.ts";
import type { Plan } from "../schema.ts";

interface HostActionsProps {
  plan: Plan;
  me: string;
  now: number;
  host: boolean;
  /** Guests without an account cannot invite, even as cohosts. */
  guest: boolean;
}

export function HostActions({ plan, me, now, host, guest }: HostActionsProps) {
  const action = usePlanAction(plan.id);
  const announce = useAnnounce();
  const navigate = useNavigate();
  const state = stateOf(plan, now);
  const run = (change: () => Promise<unknown>, said: string) =>
    action.mutate(change, { onSuccess: () => announce(said) });
  return (
    <div className="flex flex-col gap-3">
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <div className="flex flex-wrap gap-2">
        {host && !guest && (state === "polling" || state === "confirmed") ? (
          <InviteSheet what="this plan" create={() => createPlanInvite(plan.id)} />
        ) : null}
        {host && state === "confirmed" ? (
          <Button
            busy={action.isPending}
            onPress={() => run(() => reopenPlan(plan.id), "Voting is open again.")}
          >
            Reopen voting
          </Button>
        ) : null}
        {host && state === "cancelled" ? (
          <Button
            look="action"
            busy={action.isPending}
            onPress={() => run(() => restorePlan(plan.id), "The plan is back.")}
          >
            Bring it back
          </Button>
        ) : null}
        {host && (state === "polling" || state === "confirmed") ? (
          <Sheet title="Cancel this plan?" trigger={<Button look="plain">Cancel the plan</Button>}>
            {(close) => (
              <>
                <p className="text-ink-soft">
                  Everyone at the table is told. You can bring it back until the day is over.
                </p>
                <Button
                  look="action"
                  busy={action.isPending}
                  onPress={() => {
                    run(() => cancelPlan(plan.id), "The plan is cancelled.");
                    close();
                  }}
                >
                  Cancel it
                </Button>
              </>
            )}
          </Sheet>
        ) : null}
        {host ? null : (
          <Sheet title="Leave the table?" trigger={<Button look="plain">Leave the table</Button>}>
            {(close) => (
              <>
                <p className="text-ink-soft">Your votes go with you. A new invite link brings you back.</p>
                <Button
                  look="action"
                  busy={action.isPending}
                  onPress={() => {
                    action.mutate(() => leavePlan(plan.id, me), {
                      onSuccess: () => void navigate({ to: "/home" }),
                    });
                    close();
                  }}
                >
                  Leave
                </Button>
              </>
            )}
          </Sheet>
        )}
      </div>
    </div>
  );
}
