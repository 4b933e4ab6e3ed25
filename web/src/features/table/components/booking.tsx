/** Owns: for how many and under which name the chosen place is booked; a host says so by one press. */
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { bookPlan } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { seatsTaken } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";

interface BookingProps {
  plan: Plan;
  me: string;
  now: number;
  host: boolean;
}

export function Booking({ plan, me, now, host }: BookingProps) {
  const words = planWords().ticket.booking;
  const save = usePlanAction(plan.id);
  const { booked_seats: seats, booked_name: name } = plan;
  const coming = seatsTaken(plan, now);
  const booked = seats !== null && name !== null;
  if (!booked && (!host || coming === 0)) return null;
  const book = (booking: { seats: number; name: string } | null) =>
    save.mutate(() => bookPlan(plan, booking));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3">
      <p className="text-sm">
        {booked ? `${words.booked(seats, name)}.` : words.ask}
        {booked && seats !== coming ? ` ${words.now(coming)}` : ""}
      </p>
      {host && seats !== coming && coming > 0 ? (
        <Button busy={save.isPending} onPress={() => book({ seats: coming, name: firstName(plan, me) })}>
          {words.booked(coming, firstName(plan, me))}
        </Button>
      ) : null}
      {host && booked ? (
        <Button look="plain" isDisabled={save.isPending} onPress={() => book(null)}>
          {words.undo}
        </Button>
      ) : null}
      {save.isError ? <ErrorNotice error={save.error} /> : null}
    </div>
  );
}
