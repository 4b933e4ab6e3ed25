/** Owns: saving a place and letting it go. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toAppError } from "../../lib/errors.ts";
import { supabase } from "../../lib/supabase.ts";

export async function setSaved(me: string, place: string, saved: boolean): Promise<void> {
  const { error } = saved
    ? await supabase.from("saved_places").insert({ user_id: me, place_id: place })
    : await supabase.from("saved_places").delete().eq("user_id", me).eq("place_id", place);
  // Saved twice is saved.
  if (error && error.code !== "23505") throw toAppError(error);
}

/** Toggles at once and goes back if it is refused. */
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
