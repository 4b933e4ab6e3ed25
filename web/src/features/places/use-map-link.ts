/** Owns: what a pasted map link says; a short one is opened by the backend first. */
import { useQuery } from "@tanstack/react-query";
import { type MapLink, readMapLink } from "../map/map-link.ts";
import { openShortLink } from "./look-up.ts";

export function useMapLink(text: string): {
  /** Null where the text has neither position nor name; undefined while there is nothing to say. */
  link: MapLink | null | undefined;
  opening: boolean;
  /** Whether a short link could not be opened. */
  failed: boolean;
} {
  const pasted = text.trim() === "" ? undefined : readMapLink(text);
  const short = pasted?.kind === "short" ? pasted : null;
  const opened = useQuery({
    queryKey: ["short-link", short?.link],
    queryFn: () => openShortLink(short?.link ?? ""),
    enabled: short !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (short === null) return { link: pasted, opening: false, failed: false };
  const long = opened.data === undefined ? undefined : readMapLink(opened.data);
  const link = long && long.kind !== "short" ? { ...long, name: long.name ?? short.name ?? "" } : long;
  return { link, opening: opened.isFetching, failed: opened.isError || link?.kind === "short" };
}
