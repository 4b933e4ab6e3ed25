/** Owns: the notes below a host's list of people: the nudge button, and the message for people whom Nosh's own do not reach. */
import type { Question } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { useChange } from "../../../lib/change.ts";
import { shareOrCopy } from "../../../lib/device/share.ts";
import { formatTime } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { waitedFor } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";
import { nudgedToday, nudgeVoters } from "../hosts.ts";
import { hostWords } from "../words.ts";

const questions: readonly Question[] = ["times", "places"];

interface NotesProps {
  plan: Plan;
  me: string;
  now: number;
  /** Ids of people who get neither mail nor push. */
  unreached: readonly string[];
}

export function HostNotes(props: NotesProps) {
  const { plan, me, now, unreached } = props;
  const missing = waitedFor(plan, now)
    .map((member) => member.user_id)
    .filter((person) => person !== me);
  const time = chosenTime(plan);
  // While voting only people who have not answered are asked; a decision concerns everybody until the meal begins.
  const concerned = !time
    ? missing
    : now < Date.parse(time.starts_at)
      ? plan.plan_members.map((member) => member.user_id)
      : [];
  const untold = concerned.filter((one) => unreached.includes(one));
  return (
    <>
      <Nudge {...props} missing={missing.filter((one) => !unreached.includes(one)).length} />
      {untold.length > 0 ? <OwnMessage plan={plan} now={now} people={untold} /> : null}
    </>
  );
}

function Nudge({ plan, now, missing }: NotesProps & { missing: number }) {
  const words = hostWords();
  const announce = useAnnounce();
  const nudge = useChange(() => nudgeVoters(plan.id), ["plan", plan.id]);
  if (missing === 0) return null;
  const today = nudgedToday(plan.nudged_at, now);
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        busy={nudge.isPending}
        isDisabled={today}
        onPress={() => nudge.mutate(undefined, { onSuccess: () => announce(words.nudged(missing)) })}
      >
        {today ? words.nudgedToday : words.nudge(missing)}
      </Button>
      {nudge.isError ? <ErrorNotice error={nudge.error} /> : null}
    </div>
  );
}

/** The message has the plan's own link, which carries no rights: strangers who open it ask for a seat. */
function OwnMessage({ plan, now, people }: { plan: Plan; now: number; people: readonly string[] }) {
  const words = hostWords();
  const names = plan.plan_members
    .filter((member) => people.includes(member.user_id))
    .map((member) => firstName(plan, member.user_id));
  const time = chosenTime(plan);
  const what = [
    plan.title,
    time ? formatTime(time.starts_at, plan.time_zone, plan.time_zone) : null,
    chosenPlace(plan)?.name,
  ];
  const open = questions.filter((question) =>
    waitedFor(plan, now, question).some((member) => people.includes(member.user_id)),
  );
  const text = time
    ? words.decided(names, what.filter((part) => part).join(", "))
    : words.askThem(names, plan.title, open);
  const url = `${location.origin}/plans/${plan.id}`;
  const sending = useChange(() => shareOrCopy({ title: plan.title, text, url }), ["plan", plan.id]);
  return (
    <section
      id="own-message"
      tabIndex={-1}
      className="flex flex-col items-start gap-2 rounded-s border border-line bg-card-warm px-3 py-2 text-sm wrap-anywhere"
    >
      <p>{words.tellThem(names)}</p>
      <p className="select-all">
        {text} {url}
      </p>
      <Button busy={sending.isPending} onPress={() => sending.mutate()}>
        {words.send}
      </Button>
      <p role="status" className="empty:hidden">
        {sending.data === "copied"
          ? planWords().ticket.copied
          : sending.data === "refused"
            ? planWords().ticket.notCopied
            : ""}
      </p>
    </section>
  );
}
