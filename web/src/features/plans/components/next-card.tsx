/** Owns: the card above the tabs that says the one thing which a plan waits for from the reader, or that there is none. */
import { useQuery } from "@tanstack/react-query";
import { type NextStep, tabOf } from "../../../../../supabase/functions/_shared/table/steps.ts";
import { Button } from "../../../ui/button.tsx";
import { isVotingClosed, stateOfMember, timesAnswered } from "../domain.ts";
import { useOpenTab } from "../open-tab.ts";
import { planQueries, type Reach } from "../queries.ts";
import type { Plan } from "../schema.ts";
import { waitedFor } from "../tally.ts";
import { nextWords } from "../words/next.ts";
import { tableWords } from "../words/table.ts";

/** The steps of a vote; the others are taken in the invite, on the ticket and on the day's tab. */
const withCard = ["times", "places", "diet", "decide", "share", "chat"] as const;
/** The parts of the page where the steps without a tab are taken. */
const partOf = { diet: "ask-once", share: "own-message" } as const;

interface NextCardProps {
  plan: Plan;
  me: string;
  now: number;
  host: boolean;
  /** Undefined while it is not known. */
  step: NextStep | null | undefined;
}

export function NextCard({ plan, me, now, host, step }: NextCardProps) {
  const words = nextWords();
  const openTab = useOpenTab(plan.id);
  /** On the tab that is open already it leads to its content, too. */
  const open = async (one: (typeof withCard)[number]) => {
    if (one === "diet" || one === "share") return document.getElementById(partOf[one])?.focus();
    await openTab(tabOf[one]);
    document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus({ preventScroll: true });
    document.querySelector('[role="tabpanel"]')?.scrollIntoView({ block: "nearest" });
  };
  const reach = useQuery(planQueries.reach(plan.id));
  const shown = step && (withCard.find((one) => one === step) ?? null);
  return (
    <section aria-label={words.name} aria-live="polite" className="grid items-center">
      {/* Each has its room from the start, so that neither an answer nor a message moves what is below the card. */}
      {[...withCard.filter((one) => host || (one !== "decide" && one !== "share")), null].map((one) => (
        <div
          key={one}
          aria-hidden={one !== shown || undefined}
          className={`[grid-area:1/1] ${one === shown ? "" : "invisible"} ${one ? "paper flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-l-4 border-l-action px-4 py-2.5" : "text-ink-soft"}`}
        >
          {one === null ? (
            <p>{doneText(plan, me, now, host, reach.data)}</p>
          ) : (
            <>
              <p className="min-w-0 flex-1 basis-24 text-sm font-semibold">
                {one === "decide" ? words.decision : tableWords().card.next[one]}
              </p>
              <Button look="action" onPress={() => void open(one)}>
                {words[one]}
              </Button>
            </>
          )}
        </div>
      ))}
    </section>
  );
}

/** That nothing is left to do, and what the reader hears next. @param reach undefined while it is not known */
export function doneText(
  plan: Plan,
  me: string,
  now: number,
  host: boolean,
  reach: Reach | undefined,
): string {
  const words = nextWords();
  const mine = plan.plan_members.find((member) => member.user_id === me);
  const state = mine && stateOfMember(plan, mine, now);
  if (state === "not_coming") return words.declined;
  const [answered, all] = [timesAnswered(plan, me), plan.time_options.length];
  const start =
    state !== "voted"
      ? words.nothing
      : answered > 0 && answered < all
        ? `${tableWords().card.youAnswered(answered, all)}.`
        : words.done;
  if (reach === undefined) return start;
  const event = plan.decides_itself
    ? "proposed"
    : host && !isVotingClosed(plan, now) && waitedFor(plan, now).length > 0
      ? "answered"
      : "decided";
  return `${start} ${words.tells[event][reach ?? "none"]}`;
}
