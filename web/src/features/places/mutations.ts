/** Owns: saving and unsaving a place, adding one, and editing one's own. Each throws an AppError. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Diet } from "../../../../supabase/functions/_shared/ranking/diets.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { useChange } from "../../lib/change.ts";
import { toAppError } from "../../lib/errors.ts";
import type { PlaceFields } from "./form-schema.ts";
import { hoursOf } from "./hours.ts";

/**
 * Adds a place, or changes one when `id` is given; its hours are replaced in the same transaction.
 * @param from where a new place was taken from
 * @returns its id
 */
export const savePlace = (
  id: string | null,
  { week, ...fields }: PlaceFields,
  from?: { source: "member" | "openstreetmap"; external_id: string | null },
) =>
  rpc("save_place", {
    fields: { ...fields, ...(from ? { source: from.source, external_id: from.external_id } : {}) },
    hours: hoursOf(week).map((interval) => ({ ...interval })),
    ...(id ? { place: id } : {}),
  });

/** Marks a place of the person's own as their home: its address is read by them and by people expected there. */
export const saveHome = (place: string, address: string) => rpc("save_home", { place, address });

export async function setSaved(me: string, place: string, saved: boolean): Promise<void> {
  const { error } = saved
    ? await supabase.from("saved_places").insert({ user_id: me, place_id: place })
    : await supabase.from("saved_places").delete().eq("user_id", me).eq("place_id", place);
  // Saving twice is not an error.
  if (error && error.code !== "23505") throw toAppError(error);
}

/** Toggles optimistically and rolls back on an error. */
export function useSave(me: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ place, saved }: { place: string; saved: boolean }) => setSaved(me, place, saved),
    onMutate: ({ place, saved }) => {
      const before = queries.getQueryData<string[]>(["saved-places"]);
      queries.setQueryData<string[]>(["saved-places"], (ids = []) =>
        saved ? [place, ...ids.filter((id) => id !== place)] : ids.filter((id) => id !== place),
      );
      return { before };
    },
    onError: (_error, _change, context) => queries.setQueryData(["saved-places"], context?.before),
    onSettled: () => queries.invalidateQueries({ queryKey: ["saved-places"] }),
  });
}

/** Confirms or disputes that a place is safe for a diet, or withdraws one's own claim (null). */
export const useSayDiet = (place: string) =>
  useChange(
    // The generated types lack null; for the function it means withdrawing.
    ({ diet, holds }: { diet: Diet; holds: boolean | null }) =>
      rpc("say_diet", { place, diet, holds: holds as boolean }),
    // The plan's choice of places shows diets too.
    ...[["place", place], ["places"], ["plan"], ["found-places"]],
  );
