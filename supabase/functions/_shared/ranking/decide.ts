/**
 * Owns: choosing the pair that is proposed for a plan that decides itself, or the reason for proposing none. Pure. The
 * order is the ranking's; this module only checks whether the first pair may be proposed without a host.
 */
import { type Pair, type RankingInput, rankPairs } from "./ranking.ts";
import type { UndecidedReason } from "./undecided.ts";

/** The other reasons come up between the proposal and the end of its window. */
type Unproposed = Exclude<UndecidedReason, "closed" | "options_changed">;

export type Decision = { pair: Pair } | { undecided: Unproposed };

/**
 * @param from the first instant (ms) at which a meal leaves time to object
 */
export function decide(input: RankingInput, from: number): Decision {
  const coming = input.people.filter((person) => !person.declined).map((person) => person.id);
  if (!input.times.some((time) => coming.some((person) => time.votes[person]))) {
    return { undecided: "nobody_voted" };
  }
  const times = input.times.filter((time) => Date.parse(time.startsAt) > from);
  if (times.length === 0 && input.times.length > 0) return { undecided: "too_late" };
  const ranked = rankPairs({ ...input, times });
  const [best] = ranked;
  if (!best) return { undecided: "no_pair" };
  // Safe pairs rank first: if the first is not safe, none is that somebody may come to.
  if (best.notSafeFor.length > 0) return { undecided: "unsafe" };
  if (best.requiredOut.length > 0) return { undecided: "required_out" };
  if (best.canCome.length + best.ifNeedBe.length === 0) return { undecided: "no_pair" };
  const startOf = (pair: Pair) => Date.parse(times.find((time) => time.id === pair.timeId)?.startsAt ?? "");
  const isTied = ranked.some(
    (pair) =>
      pair !== best &&
      pair.notSafeFor.length === 0 &&
      pair.requiredOut.length === 0 &&
      pair.score === best.score &&
      startOf(pair) === startOf(best),
  );
  return isTied ? { undecided: "tie" } : { pair: best };
}
