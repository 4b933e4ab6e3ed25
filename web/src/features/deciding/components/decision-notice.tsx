/** Owns: the notice of a plan that decides itself: its proposal, an objection to it, or the reason why there is none. */
import { ButtonLink } from "../../../ui/button.tsx";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import type { TabProps } from "../../plans/tab-props.ts";
import { decidingWords } from "../words.ts";
import { Proposal } from "./proposal.tsx";

export function DecisionNotice(props: TabProps) {
  const { plan, me, host } = props;
  const words = decidingWords();
  const time = plan.time_options.find((option) => option.id === plan.proposed_time_id);
  const place = plan.place_options.find((option) => option.id === plan.proposed_place_id)?.places;
  if (time) return <Proposal {...props} time={time} place={place ?? null} />;
  return (
    <section className="paper rise flex flex-col gap-1 border-l-4 border-l-maybe p-4">
      <p className="font-semibold break-words">
        {plan.undecided === null ? vetoText(plan, me) : words.undecided.title}
      </p>
      {plan.undecided === null ? null : <p>{words.undecided[plan.undecided]}</p>}
      <p className="text-ink-soft">{host ? words.youDecide : words.hostDecides}</p>
      {host ? (
        <ButtonLink
          to="/plans/$id"
          params={{ id: plan.id }}
          search={{ tab: "best" }}
          className="mt-2 self-start"
        >
          {words.seeMatches}
        </ButtonLink>
      ) : null}
    </section>
  );
}

function vetoText(plan: Plan, me: string): string {
  const words = decidingWords().vetoed;
  const reason = plan.veto_reason;
  if (plan.vetoed_by === me) return reason ? words.byYouWith(reason) : words.byYou;
  const name = firstName(plan, plan.vetoed_by);
  return reason ? words.byWith(name, reason) : words.by(name);
}
