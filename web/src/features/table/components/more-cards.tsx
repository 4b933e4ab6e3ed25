/** Owns: the button below a list of plans that reads its next page. */
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { type CardPage, cardsOf } from "../../plans/cards/queries.ts";
import { tableWords } from "../../plans/words/table.ts";

export function MoreCards({ list }: { list: UseInfiniteQueryResult<InfiniteData<CardPage>> }) {
  const words = tableWords().cards;
  const announce = useAnnounce();
  const more = async () => {
    const before = cardsOf(list.data?.pages ?? []).length;
    const { data, isFetchNextPageError } = await list.fetchNextPage();
    if (!isFetchNextPageError) announce(words.added(cardsOf(data?.pages ?? []).length - before));
  };
  return (
    <>
      {list.isFetchNextPageError ? <ErrorNotice error={list.error} retry={() => void more()} /> : null}
      {list.hasNextPage && !list.isFetchNextPageError ? (
        <Button className="self-start" busy={list.isFetchingNextPage} onPress={() => void more()}>
          {words.more}
        </Button>
      ) : null}
    </>
  );
}
