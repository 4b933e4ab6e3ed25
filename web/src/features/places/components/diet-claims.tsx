/**
 * Owns: the diets that a place is known to be safe for: who confirmed or disputed them and when, and making a
 * claim. Safe means confirmed and disputed by nobody.
 */
import { useQuery } from "@tanstack/react-query";
import type { Diet } from "../../../../../supabase/functions/_shared/ranking/diets.ts";
import { toAppError } from "../../../lib/errors.ts";
import { listOf } from "../../../lib/i18n/words.ts";
import { monthOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { peopleWords } from "../../people/words.ts";
import { type DietStatus, dietStatuses } from "../claims.ts";
import { useSayDiet } from "../mutations.ts";
import { placeQueries } from "../queries.ts";
import type { Claim } from "../schema.ts";
import { placeWords } from "../words.ts";

interface DietClaimsProps {
  place: { id: string; safe_diets: readonly Diet[] };
  me: string;
  now: number;
  /** The zone that months are shown in. */
  zone: string;
}

export function DietClaims({ place, me, now, zone }: DietClaimsProps) {
  const words = placeWords().place;
  const claims = useQuery(placeQueries.claims(place.id));
  const standings = dietStatuses(place.safe_diets, claims.data ?? [], me);
  const safe = standings.filter((standing) => standing.safe);
  const unknown = standings.filter((standing) => !standing.safe);
  const spoken = unknown.filter((standing) => standing.claims.length > 0);
  const silent = unknown.filter((standing) => standing.claims.length === 0);
  const rest = { me, now, zone, place: place.id };
  return (
    <section className="flex flex-col gap-4">
      {safe.length > 0 ? (
        <div>
          <h2 className="mb-1.5 text-sm font-semibold text-yes">{words.safe}</h2>
          <DietRows standings={safe} {...rest} />
        </div>
      ) : null}
      {unknown.length > 0 ? (
        <div>
          <h2 className="mb-1.5 text-sm font-semibold text-ink-soft">{words.unknown}</h2>
          <DietRows standings={spoken} {...rest} />
          {silent.length > 0 ? (
            <ul className="mt-1.5 flex flex-wrap gap-1.5">
              {silent.map(({ diet }) => (
                <li key={diet}>
                  <Chip diet={diet} safe={false} />
                </li>
              ))}
            </ul>
          ) : null}
          <p className="mt-2 text-sm text-ink-soft">{words.unknownText}</p>
        </div>
      ) : null}
      {claims.isError ? <ErrorNotice error={claims.error} retry={() => void claims.refetch()} /> : null}
      <div>
        <Sheet title={words.claims.add} trigger={<Button>{words.claims.add}</Button>}>
          {() => (
            <div className="flex flex-col gap-3">
              <p className="text-sm text-ink-soft">{words.claims.addText}</p>
              <DietRows standings={standings} all {...rest} />
            </div>
          )}
        </Sheet>
      </div>
    </section>
  );
}

interface RowsProps {
  standings: readonly DietStatus[];
  place: string;
  me: string;
  now: number;
  zone: string;
  /** Includes diets without any claim, each with its buttons. */
  all?: boolean;
}

function DietRows({ standings, place, all = false, ...rest }: RowsProps) {
  if (standings.length === 0) return null;
  return (
    <ul className="flex flex-col">
      {standings.map((standing) => (
        <DietRow key={standing.diet} standing={standing} place={place} all={all} {...rest} />
      ))}
    </ul>
  );
}

function DietRow({
  standing: { diet, safe, from, claims, mine },
  place,
  me,
  now,
  zone,
  all,
}: Omit<RowsProps, "standings"> & { standing: DietStatus }) {
  const words = placeWords().place.claims;
  const name = peopleWords().diets[diet];
  const announce = useAnnounce();
  const say = useSayDiet(place);
  const press = (holds: boolean | null, done: string) =>
    say.mutate({ diet, holds }, { onSuccess: () => announce(done) });
  const lines = claims.map((claim) => sentenceOf(claim, me, now, zone));
  if (from !== null && lines.length === 0) lines.push(words.follows(peopleWords().diets[from]));
  return (
    <li className="border-b border-line py-1.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Chip diet={diet} safe={safe} />
        <p className="min-w-0 flex-1 basis-40 text-sm text-ink-soft [overflow-wrap:anywhere]">
          {listOf(lines)}
        </p>
        {claims.length > 0 || all ? (
          <div className="flex flex-wrap">
            {mine === true ? null : (
              <Button
                look="plain"
                busy={say.isPending && say.variables.holds === true}
                aria-label={words.confirmOne(name)}
                onPress={() => press(true, words.confirmed(name))}
              >
                <span className="text-sm">{words.confirm}</span>
              </Button>
            )}
            {mine === false ? null : (
              <Button
                look="plain"
                busy={say.isPending && say.variables.holds === false}
                aria-label={words.doubtOne(name)}
                onPress={() => press(false, words.doubtedOne(name))}
              >
                <span className="text-sm">{words.doubt}</span>
              </Button>
            )}
            {mine === null ? null : (
              <Button
                look="plain"
                busy={say.isPending && say.variables.holds === null}
                aria-label={words.clearOne(name)}
                onPress={() => press(null, words.cleared(name))}
              >
                <span className="text-sm">{words.clear}</span>
              </Button>
            )}
          </div>
        ) : null}
      </div>
      {say.isError ? <ErrorNotice error={toAppError(say.error)} /> : null}
    </li>
  );
}

function Chip({ diet, safe }: { diet: Diet; safe: boolean }) {
  const shape = "inline-flex min-h-8 items-center gap-1 rounded-full border px-3 text-sm";
  return (
    <span
      className={`${shape} ${safe ? "border-yes font-semibold text-yes" : "border-dashed border-edge text-ink-soft"}`}
    >
      {safe ? <CheckIcon aria-hidden className="size-4" /> : null}
      {peopleWords().diets[diet]}
    </span>
  );
}

function sentenceOf(claim: Claim, me: string, now: number, zone: string): string {
  const words = placeWords().place.claims;
  const who = claim.from_source
    ? words.source
    : claim.made_by === me
      ? words.you
      : (claim.profiles?.display_name ?? words.somebody);
  return (claim.holds ? words.said : words.doubted)(who, monthOf(claim.made_at, now, zone));
}
