/**
 * Owns: the day itself: the arrival board, the person's own status, the trip, the announcement that the table
 * is ready.
 */
import { Button } from "../../../ui/button.tsx";
import { Switch } from "../../../ui/fields/switch.tsx";
import { UtensilsIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { DirectionsLink } from "../../map/components/directions-link.tsx";
import { hasDirections } from "../../map/directions.ts";
import { ContactLinks } from "../../places/components/contact-links.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { chosenPlace } from "../../plans/domain.ts";
import { callToTable } from "../../plans/mutations.ts";
import type { Plan } from "../../plans/schema.ts";
import { tableWords } from "../../plans/words/table.ts";
import { usePositions } from "../positions.ts";
import { canStayAwake, useAwake } from "../wake-lock.ts";
import { dayWords } from "../words.ts";
import { ArrivalBoard } from "./arrival-board.tsx";
import { LivePositions } from "./live-positions.tsx";
import { MyArrival } from "./my-arrival.tsx";

export function DayPanel({ plan, me, now, host }: { plan: Plan; me: string; now: number; host: boolean }) {
  const positions = usePositions(plan, me);
  const place = chosenPlace(plan);
  return (
    <div className="flex flex-col gap-4">
      <ArrivalBoard plan={plan} me={me} now={now} positions={positions} />
      <MyArrival plan={plan} me={me} now={now} />
      {place ? (
        <p className="flex flex-wrap items-center gap-x-4 px-1">
          <span>
            <span className="font-semibold">{place.name}</span>
            {place.address ? <span className="text-ink-soft">{`, ${place.address}`}</span> : null}
          </span>
          {hasDirections(place) ? <DirectionsLink place={place} /> : null}
          <ContactLinks place={place} />
        </p>
      ) : (
        <p className="px-1 text-ink-soft">{tableWords().placeOpen}</p>
      )}
      {host ? <Ready plan={plan} /> : null}
      <LivePositions plan={plan} me={me} now={now} positions={positions} />
      {canStayAwake() ? <StayAwake /> : null}
    </div>
  );
}

function Ready({ plan }: { plan: Plan }) {
  const words = dayWords().ready;
  const place = chosenPlace(plan)?.name ?? "";
  const tell = usePlanAction(plan.id);
  const announced = plan.ready_at !== null;
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        busy={tell.isPending}
        isDisabled={announced}
        onPress={() => tell.mutate(() => callToTable(plan.id, words.message(place)))}
      >
        <UtensilsIcon aria-hidden className="size-5" /> {words.say}
      </Button>
      <p role="status" className="text-sm text-yes empty:hidden">
        {announced ? words.done : ""}
      </p>
      {tell.isError ? <ErrorNotice error={tell.error} /> : null}
    </div>
  );
}

/** Keeps the screen on from the start, as people on their way have no hand free. */
function StayAwake() {
  const words = dayWords().awake;
  const [awake, setAwake] = useAwake();
  return (
    <div className="px-1">
      <Switch
        isSelected={awake !== "off" && awake !== "refused"}
        onChange={(on) => setAwake(on ? "asked" : "off")}
      >
        {words.label}
      </Switch>
      <p role="status" className="text-sm text-ink-soft">
        {awake === "wanted" || awake === "asked" ? "" : words[awake]}
      </p>
    </div>
  );
}
