/** Owns: places that are not on the plan yet and would be safe for everyone: the server's suggestions. */
import { useQuery } from "@tanstack/react-query";
import { reasonText } from "../../../../../supabase/functions/_shared/ranking/reasons.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { SparklesIcon } from "../../../ui/icons.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { PlacePicture } from "../../pictures/components/place-picture.tsx";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { proposePlace } from "../../plans/mutations.ts";
import { planQueries } from "../../plans/queries.ts";
import type { Plan, Suggestion } from "../../plans/schema.ts";
import { bestWords } from "../words.ts";
import { speakerOf } from "./reason-texts.ts";

export function FurtherPlaces({ plan, me, mayPropose }: { plan: Plan; me: string; mayPropose: boolean }) {
  const words = bestWords().suggestions;
  const announce = useAnnounce();
  const suggestions = useQuery({
    ...planQueries.suggestions(plan.id),
    enabled: plan.time_options.length > 0,
  });
  const action = usePlanAction(plan.id);
  if (plan.time_options.length === 0) return null;
  const speaker = speakerOf(plan);
  const taken = new Set(plan.place_options.map((option) => option.place_id));
  const propose = ({ place_id, name }: Suggestion) =>
    action.mutate(
      () =>
        makeOnce(
          plan.id,
          () => proposePlace(plan.id, place_id),
          (now) =>
            now.place_options.some((option) => option.place_id === place_id && option.proposed_by === me),
        ),
      { onSuccess: () => announce(words.proposed(name)) },
    );
  return (
    <section aria-labelledby="suggestions">
      <h3 id="suggestions" className="mb-2 flex items-center gap-2 text-lg">
        <SparklesIcon aria-hidden className="size-5 text-maybe" /> {words.title}
      </h3>
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <Loaded
        query={suggestions}
        what={words.loading}
        className="flex flex-col gap-2"
        shapes={["h-20", "h-20"]}
      >
        {(data) =>
          data.length === 0 ? (
            <div className="flex flex-col gap-3">
              <p className="text-ink-soft">{words.none}</p>
              {mayPropose ? (
                <ButtonLink
                  to="/plans/$id"
                  params={{ id: plan.id }}
                  search={{ tab: "where" }}
                  replace
                  className="self-start"
                >
                  {words.add}
                </ButtonLink>
              ) : null}
            </div>
          ) : (
            <ul className="flex flex-col gap-2">
              {data
                .filter((suggestion) => !taken.has(suggestion.place_id))
                .map((suggestion) => (
                  <li
                    key={suggestion.place_id}
                    className="paper flex flex-wrap items-center gap-x-4 gap-y-2 p-3"
                  >
                    <PlacePicture placeId={suggestion.place_id} className="size-12 shrink-0" />
                    <div className="min-w-0 flex-1 basis-48">
                      <p className="font-display leading-tight font-semibold">{suggestion.name}</p>
                      <p className="text-sm text-ink-soft">
                        {suggestion.reasons
                          .slice(1, 3)
                          .map((reason) => reasonText(reason, speaker))
                          .join(" · ")}
                      </p>
                    </div>
                    {mayPropose ? (
                      <Button
                        busy={action.isPending}
                        onPress={() => propose(suggestion)}
                        aria-label={words.proposeOf(suggestion.name)}
                      >
                        {words.propose}
                      </Button>
                    ) : null}
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
