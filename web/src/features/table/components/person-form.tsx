/** Owns: a host's settings for one person: cohost or guest, required, handing over, removing. */
import { useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Tick } from "../../../ui/fields/tick.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { removeMember, setMemberRequired, setMemberRole } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import type { Member, Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";

export interface PersonFormProps {
  plan: Plan;
  member: Member;
  me: string;
  close: () => void;
}

export function PersonForm({ plan, member, me, close }: PersonFormProps) {
  const words = planWords().person;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const [asking, setAsking] = useState<"remove" | "hand-over" | null>(null);
  /** The last control that asked for confirmation: it gets the focus back. */
  const [asked, setAsked] = useState<typeof asking>(null);
  const ask = (what: "remove" | "hand-over") => {
    setAsking(what);
    setAsked(what);
  };
  const name = firstName(plan, member.user_id);
  const iHost = plan.plan_members.some((one) => one.user_id === me && one.role === "host");
  const run = (change: () => Promise<unknown>, announcement: string, then?: () => void) =>
    action.mutate(change, {
      onSuccess: () => {
        announce(announcement);
        then?.();
      },
    });
  return (
    <div className="flex flex-col gap-4">
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <div className="flex flex-col gap-1">
        <Tick
          on={member.required}
          onChange={(on) => run(() => setMemberRequired(plan.id, member.user_id, on), words.saved(name))}
        >
          {words.required}
        </Tick>
        <p className="text-sm text-ink-soft">{words.requiredHelp}</p>
      </div>
      {member.role === "host" || !(iHost || (member.user_id === me && member.role === "cohost")) ? null : (
        <Tick
          on={member.role === "cohost"}
          onChange={(on) =>
            run(() => setMemberRole(plan.id, member.user_id, on ? "cohost" : "guest"), words.saved(name))
          }
        >
          {words.cohost}
        </Tick>
      )}
      {member.role === "host" || member.user_id === me || !(iHost || member.role === "guest") ? null : (
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          {asking === null ? (
            <>
              {iHost ? (
                <Button autoFocus={asked === "hand-over"} onPress={() => ask("hand-over")}>
                  {words.handOver}
                </Button>
              ) : null}
              <Button look="plain" autoFocus={asked === "remove"} onPress={() => ask("remove")}>
                {words.remove(name)}
              </Button>
            </>
          ) : (
            <>
              <p className="w-full">
                {asking === "remove" ? words.removeAsk(name) : words.handOverAsk(name)}
              </p>
              <Button
                look="action"
                busy={action.isPending}
                onPress={() =>
                  asking === "remove"
                    ? run(() => removeMember(plan.id, member.user_id), words.removed(name), close)
                    : run(() => setMemberRole(plan.id, member.user_id, "host"), words.handedOver(name), close)
                }
              >
                {asking === "remove" ? words.removeDo : words.handOverDo}
              </Button>
              <Button autoFocus onPress={() => setAsking(null)}>
                {words.back}
              </Button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
