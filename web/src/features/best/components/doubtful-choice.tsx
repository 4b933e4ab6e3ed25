/** Owns: asking a host about a pair that nobody can make, or that is not known to be safe for everyone, with their names. */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import type { Plan } from "../../plans/schema.ts";
import { whereWords } from "../../plans/words/where.ts";
import type { Pair } from "../ranking.ts";
import { bestWords } from "../words.ts";
import { speakerOf } from "./reason-texts.ts";

const SheetBody = lazy(async () => ({ default: (await import("../../../ui/sheet-body.tsx")).SheetBody }));

/** @param refused the time, if everybody who voted refused it */
export function DoubtfulChoice({
  plan,
  pair,
  refused,
  close,
  choose,
}: {
  plan: Plan;
  pair: Pair;
  refused: string | null;
  close: () => void;
  choose: () => void;
}) {
  const words = bestWords().unsafe;
  const nobody = bestWords().refused;
  const { forWhom } = whereWords().diets;
  const speaker = speakerOf(plan);
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.places?.name ?? "";
  return (
    <Suspense fallback={null}>
      <SheetBody title={refused === null ? words.title(place) : nobody.title} close={close}>
        {() => (
          <div className="flex flex-col gap-4">
            {refused === null ? null : <p>{nobody.text(refused)}</p>}
            {pair.notSafeFor.length > 0 ? (
              <>
                {refused === null ? null : <p className="font-semibold">{words.title(place)}</p>}
                <ul className="flex flex-col gap-1 font-semibold">
                  {pair.notSafeFor.map(({ personId, diets }) => (
                    <li key={personId}>{forWhom([speaker.diets(diets)], speaker.name(personId))}</li>
                  ))}
                </ul>
                <p>{words.ask}</p>
              </>
            ) : null}
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
