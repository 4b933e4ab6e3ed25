/** Owns: the notes below a host's list of people: the nudge button, and the names that no message reaches. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ClockIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { waitedFor } from "../../plans/tally.ts";
import { nudgedToday, nudgeVoters } from "../hosts.ts";
import { hostWords } from "../words.ts";

/** @param unreached ids of people who get neither mail nor push */
export function HostNotes({
  plan,
  me,
  now,
  unreached,
}: {
  plan: Plan;
  me: string;
  now: number;
  unreached: readonly string[];
}) {
  const names = plan.plan_members
    .filter((member) => unreached.includes(member.user_id))
    .map((member) => firstName(plan, member.user_id));
  return (
    <>
      <Nudge plan={plan} me={me} now={now} />
      {names.length > 0 ? (
        <p className="rounded-s border border-line bg-card-warm px-3 py-2 text-sm">
          {hostWords().tellThem(names)}
        </p>
      ) : null}
    </>
  );
}

function Nudge({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const words = hostWords();
  const announce = useAnnounce();
  const queries = useQueryClient();
  const nudge = useMutation({
    mutationFn: () => nudgeVoters(plan.id),
    onSuccess: (count) => announce(words.nudged(count)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["plan", plan.id] }),
  });
  const missing = waitedFor(plan, now).filter((member) => member.user_id !== me).length;
  const closed = plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
  const upcoming = plan.time_options.some((option) => Date.parse(option.starts_at) > now);
  if (closed || !upcoming || missing === 0) return null;
  const today = nudgedToday(plan.nudged_at, now);
  return (
    <div className="flex flex-col items-start gap-2">
      <Button busy={nudge.isPending} isDisabled={today} onPress={() => nudge.mutate()}>
        <ClockIcon aria-hidden className="size-5" /> {today ? words.nudgedToday : words.nudge(missing)}
      </Button>
      {nudge.isError ? <ErrorNotice error={nudge.error} /> : null}
    </div>
  );
}
