/** Owns: the button that adds a place to the plan that the list was opened for. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import type { Place } from "../../places/schema.ts";
import { placeWords } from "../../places/words.ts";
import { proposePlace } from "../../plans/mutations.ts";
import { planQueries } from "../../plans/queries.ts";

export function AddToPlanButton({ planId, place }: { planId: string; place: Place }) {
  const words = placeWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const plan = useQuery(planQueries.one(planId));
  const put = useMutation({
    mutationFn: () => proposePlace(planId, place.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["plan", planId] });
      await navigate({ to: "/plans/$id", params: { id: planId }, search: { tab: "where" } });
    },
  });
  if (plan.data?.place_options.some((option) => option.place_id === place.id)) {
    return <p className="text-sm text-ink-soft">{words.onPlan}</p>;
  }
  return (
    <>
      <Button busy={put.isPending} onPress={() => put.mutate()} aria-label={words.suggestName(place.name)}>
        {words.suggest}
      </Button>
      {put.isError ? <ErrorNotice error={put.error} /> : null}
    </>
  );
}
