/** Owns: asking a host about a pair that is not known to be safe for everyone, naming the people it concerns. */
import { lazy, Suspense } from "react";
import { Button } from "../../../ui/button.tsx";
import type { Plan } from "../../plans/schema.ts";
import { whereWords } from "../../plans/words/where.ts";
import type { Pair } from "../ranking.ts";
import { bestWords } from "../words.ts";
import { speakerOf } from "./reason-texts.ts";

const SheetBody = lazy(async () => ({ default: (await import("../../../ui/sheet-body.tsx")).SheetBody }));

export function UnsafeChoice({
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
  const words = bestWords().unsafe;
  const { forWhom } = whereWords().diets;
  const speaker = speakerOf(plan);
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.places?.name ?? "";
  return (
    <Suspense fallback={null}>
      <SheetBody title={words.title(place)} close={close}>
        {() => (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col gap-1 font-semibold">
              {pair.notSafeFor.map(({ personId, diets }) => (
                <li key={personId}>{forWhom([speaker.diets(diets)], speaker.name(personId))}</li>
              ))}
            </ul>
            <p>{words.ask}</p>
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
