/** Owns: the card that asks a person once what they eat and where their trips start; both can be skipped. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { Button } from "../../../ui/button.tsx";
import { useFocusBack } from "../../../ui/focus-back.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { DietChoice } from "../../people/components/diet-choice.tsx";
import { markAsked, saveDiets } from "../../people/mutations.ts";
import { peopleQueries } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { StartPointFields, useStartText } from "./start-point.tsx";

export function AskOnce({ me }: { me: string }) {
  const mine = useQuery(peopleQueries.startPoint(me));
  const profile = useQuery(peopleQueries.profile(me));
  if (!mine.data || !profile.data || mine.data.asked_at !== null) return null;
  return (
    <Card
      me={me}
      known={profile.data.diets_known}
      start={mine.data.start_latitude !== null || mine.data.start_city !== null}
    />
  );
}

function Card({ me, known, start }: { me: string; known: boolean; start: boolean }) {
  const words = peopleWords().ask;
  useFocusBack();
  const title = useId();
  const text = useStartText(me);
  const [eats, setEats] = useState<{ diets: Parameters<typeof saveDiets>[1]; known: boolean }>({
    diets: [],
    known: false,
  });
  const answer = useChange(
    async (save: boolean) => {
      if (save && eats.known) await saveDiets(me, eats.diets);
      await markAsked(me);
    },
    ...["profile", "plan", "start-point"].map((key) => [key]),
  );
  return (
    <section id="ask-once" tabIndex={-1} aria-labelledby={title} className="paper flex flex-col gap-4 p-4">
      <h3 id={title} className="text-lg">
        {words.title}
      </h3>
      {known ? null : (
        <div className="flex flex-col gap-2">
          <h4 className="text-sm font-semibold">{words.diets}</h4>
          <DietChoice
            diets={eats.diets}
            known={eats.known}
            onChange={(diets, said) => setEats({ diets, known: said })}
          />
          <p className="text-sm text-ink-soft">{words.dietsHelp}</p>
        </div>
      )}
      {start ? null : (
        <div className="flex flex-col gap-2">
          <h4 className="text-sm font-semibold">{words.start}</h4>
          <StartPointFields me={me} text={text} />
        </div>
      )}
      {answer.isError ? <ErrorNotice error={answer.error} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="action"
          busy={answer.isPending}
          onPress={() => (start || !text.refuse()) && answer.mutate(true)}
        >
          {words.done}
        </Button>
        <Button look="plain" isDisabled={answer.isPending} onPress={() => answer.mutate(false)}>
          {words.skip}
        </Button>
        <p className="text-sm text-ink-soft">{words.later}</p>
      </div>
    </section>
  );
}
