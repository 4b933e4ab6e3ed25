/** Owns: the button below a list of plans that loads the next page. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { addCards, type CardList } from "../../plans/cards/queries.ts";
import { tableWords } from "../../plans/words/table.ts";

/** @param circle the list's circle; null for all */
export function MoreCards({ list, circle }: { list: CardList | undefined; circle: string | null }) {
  const words = tableWords().cards;
  const announce = useAnnounce();
  const queries = useQueryClient();
  const more = useMutation({
    mutationFn: () => addCards(queries, circle),
    onSuccess: (count) => announce(words.added(count)),
  });
  if (!list?.next) return null;
  return (
    <>
      {more.isError ? <ErrorNotice error={more.error} /> : null}
      <Button className="self-start" busy={more.isPending} onPress={() => more.mutate()}>
        {words.more}
      </Button>
    </>
  );
}
