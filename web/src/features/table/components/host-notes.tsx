/** Owns: the notes below a host's list of people: the nudge button, and the names that no message reaches. */

import { useChange } from "../../../lib/change.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ClockIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { waitedFor } from "../../plans/tally.ts";
import { nudgedToday, nudgeVoters } from "../hosts.ts";
import { hostWords } from "../words.ts";

interface NudgeProps {
  plan: Plan;
  me: string;
  now: number;
}

/** @param unreached ids of people who get neither mail nor push */
export function HostNotes({ unreached, ...nudge }: NudgeProps & { unreached: readonly string[] }) {
  const { plan } = nudge;
  const names = plan.plan_members
    .filter((member) => unreached.includes(member.user_id))
    .map((member) => firstName(plan, member.user_id));
  return (
    <>
      <Nudge {...nudge} />
      {names.length > 0 ? (
        <p className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">
          {hostWords().tellThem(names)}
        </p>
      ) : null}
    </>
  );
}

function Nudge({ plan, me, now }: NudgeProps) {
  const words = hostWords();
  const announce = useAnnounce();
  const nudge = useChange(() => nudgeVoters(plan.id), ["plan", plan.id]);
  const missing = waitedFor(plan, now).filter((member) => member.user_id !== me).length;
  if (missing === 0) return null;
  const today = nudgedToday(plan.nudged_at, now);
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        busy={nudge.isPending}
        isDisabled={today}
        onPress={() => nudge.mutate(undefined, { onSuccess: (count) => announce(words.nudged(count)) })}
      >
        <ClockIcon aria-hidden className="size-5" /> {today ? words.nudgedToday : words.nudge(missing)}
      </Button>
      {nudge.isError ? <ErrorNotice error={nudge.error} /> : null}
    </div>
  );
}
