/**
 * Owns: asking a host about a pair that not everyone can come to, whose place somebody refused, or that is not known to
 * be safe for everyone, naming the people it concerns.
 */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import { unsafeTexts } from "../../plans/diet-texts.ts";
import { absentAt, unwillingAt } from "../../plans/refused.ts";
import type { Plan } from "../../plans/schema.ts";
import type { Pair } from "../ranking.ts";
import { bestWords } from "../words.ts";
import { speakerOf } from "./reason-texts.ts";

const SheetBody = lazy(async () => ({ default: (await import("../../../ui/sheet-body.tsx")).SheetBody }));

/** The people who speak against a pair: who cannot come then, and who said no to the place. */
export function objectors(plan: Plan, { timeId, placeId }: Pair): { absent: string[]; unwilling: string[] } {
  return { absent: absentAt(plan, timeId), unwilling: unwillingAt(plan, timeId, placeId) };
}

export function DoubtfulChoice({
  plan,
  pair,
  close,
  choose,
}: {
  plan: Plan;
  pair: Pair;
  close: () => void;
  choose: () => void;
}) {
  const words = bestWords().doubtful;
  const speaker = speakerOf(plan);
  const unsafe = pair.notSafeFor.length > 0;
  const { absent, unwilling } = objectors(plan, pair);
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.places?.name ?? "";
  return (
    <Suspense fallback={null}>
      <SheetBody
        title={
          unsafe ? words.title(place) : absent.length > 0 ? words.absentTitle : words.refusedTitle(place)
        }
        close={close}
      >
        {() => (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col gap-1 font-semibold">
              {absent.length > 0 ? <li>{words.absent(absent.map(speaker.name))}</li> : null}
              {unwilling.length > 0 ? <li>{words.refused(unwilling.map(speaker.name))}</li> : null}
              {unsafeTexts(
                plan,
                pair.notSafeFor.map(({ personId, diets }) => ({ person: personId, diets })),
              ).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
            {unsafe ? <p>{words.ask}</p> : null}
            <div className="flex flex-wrap gap-2">
              <Button look="action" onPress={choose}>
                {words.choose}
              </Button>
              <Button autoFocus onPress={close}>
                {words.back}
              </Button>
            </div>
          </div>
        )}
      </SheetBody>
    </Suspense>
  );
}
