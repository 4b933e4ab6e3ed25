/** Owns: saving the ticket as a picture: with the share sheet if it accepts files, else as a download. */

import { useMutation } from "@tanstack/react-query";
import { download } from "../../../lib/device/download.ts";
import { share } from "../../../lib/device/share.ts";
import { clockOf, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { cardOf } from "../../plans/cards/of-plan.ts";
import { chosenPlace, chosenTime } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { seatsTaken } from "../../plans/tally.ts";
import { planWords } from "../../plans/words/plan.ts";
import { tableWords } from "../../plans/words/table.ts";
import { drawnSeats } from "../drawn-seats.ts";
import { hostWords } from "../words.ts";

const FILE = "nosh-ticket.png";

export function SavePicture({ plan, me, now }: { plan: Plan; me: string; now: number }) {
  const words = hostWords();
  const save = useMutation({
    // Drawn on this device: no connection is needed.
    networkMode: "always",
    mutationFn: async () => {
      const { ticketPicture } = await import("./ticket-picture.tsx");
      const time = chosenTime(plan);
      const place = chosenPlace(plan);
      if (!time) return false;
      const picture = await ticketPicture({
        title: plan.title,
        day: dayOf(time.starts_at, plan.time_zone),
        clock: clockOf(time.starts_at, plan.time_zone),
        place: place?.name ?? tableWords().placeOpen,
        // The address of a home is for the people at the table.
        address: place?.place_homes ? "" : (place?.address ?? ""),
        people: planWords().ticket.coming(seatsTaken(plan, now), plan.capacity),
        seats: drawnSeats(cardOf(plan, me), now),
      });
      return handOver(new File([picture], FILE, { type: "image/png" }), plan.title);
    },
  });
  return (
    <>
      <Button busy={save.isPending} onPress={() => save.mutate()}>
        {words.picture}
      </Button>
      <p role="status" className="text-sm empty:hidden">
        {save.data ? words.pictureSaved : save.isError ? words.pictureFailed : ""}
      </p>
    </>
  );
}

/** Returns true if the file was downloaded; the share sheet reports its result itself. */
async function handOver(file: File, title: string): Promise<boolean> {
  if (await share({ files: [file], title })) return false;
  download(file, file.name);
  return true;
}
