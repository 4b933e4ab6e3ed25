/** Owns: the heart that saves a place for later. */
import { useQuery } from "@tanstack/react-query";
import { ToggleButton } from "react-aria-components";
import { HeartIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useSave } from "../mutations.ts";
import { placeQueries } from "../queries.ts";
import type { Place } from "../schema.ts";
import { placeWords } from "../words.ts";

export function SaveHeart({ place, me }: { place: Place; me: string }) {
  const saved = useQuery(placeQueries.saved());
  const save = useSave(me);
  const isSaved = saved.data?.includes(place.id) ?? false;
  return (
    <>
      <ToggleButton
        aria-label={placeWords().save(place.name)}
        isSelected={isSaved}
        isDisabled={!saved.isSuccess}
        onChange={(next) => save.mutate({ place: place.id, saved: next })}
        className="-m-2 grid size-11 shrink-0 cursor-pointer place-items-center rounded-full hover:bg-card-warm"
      >
        <HeartIcon
          aria-hidden
          className={`size-5 transition-colors duration-150 ${isSaved ? "fill-action text-action" : "text-edge"}`}
        />
      </ToggleButton>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
    </>
  );
}
