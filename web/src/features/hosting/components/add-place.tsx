/** Owns: adding the place of a plan whose time was decided alone: one of its suggestions, or a new one by its name. */
import { useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { isSameName, NameField } from "../../places/components/name-field.tsx";
import type { NewPlace } from "../../places/schema.ts";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { changeChoice } from "../../plans/choices.ts";
import { unsafeText } from "../../plans/diet-texts.ts";
import { useRatings } from "../../plans/eaten.ts";
import { proposeNamedPlace } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import { unwillingAt } from "../../plans/refused.ts";
import type { PlaceOption, Plan } from "../../plans/schema.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";
import { planWords } from "../../plans/words/plan.ts";
import { unsafeAt, type Verdict, verdictOn } from "../choice.ts";

export function AddPlace({ plan }: { plan: Plan }) {
  const words = planWords().addPlace;
  return (
    <Sheet title={words.open} trigger={<Button className="mt-1 self-start">{words.open}</Button>}>
      {() => <Places plan={plan} />}
    </Sheet>
  );
}

/** The sheet goes with the open place: choosing one closes it. */
function Places({ plan }: { plan: Plan }) {
  const words = planWords().addPlace;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const [name, setName] = useState("");
  const [ask, setAsk] = useState("");
  const time = plan.chosen_time_id ?? "";
  const choose = async (place: string, placeName: string, { unsafe }: Pick<Verdict, "unsafe">) => {
    await makeOnce(
      plan.id,
      () =>
        changeChoice(
          plan.id,
          { time, place: null },
          { time, place },
          unsafe.map(({ person }) => person),
        ),
      (read) => read.chosen_place_id === place,
    );
    // Here, because the ticket shows it as soon as the plan is read again.
    announce(words.done(placeName));
  };
  const add = async (added: NewPlace) => {
    let option: string | undefined;
    await makeOnce(
      plan.id,
      async () => {
        option = await proposeNamedPlace(plan.id, added);
      },
      (read) => {
        option = read.place_options.find((one) => isSameName(one.places?.name ?? "", added.name))?.id;
        return option !== undefined;
      },
    );
    setName("");
    // Nothing is known of a new place: for people with diets it is chosen by a second press, below.
    const unsafe = unsafeAt(plan, time, { safe_diets: [] }, []);
    if (unsafe.length > 0) return setAsk(words.ask(added.name));
    if (option !== undefined) await choose(option, added.name, { unsafe });
  };
  return (
    <div className="flex flex-col gap-5">
      <p className="text-ink-soft">{planWords().change.onlyPlace}</p>
      <NameField
        autoFocus
        label={words.name}
        look="action"
        value={name}
        onChange={setName}
        onAdd={(added) => action.mutate(() => add(added))}
        taken={plan.place_options.flatMap(({ places }) => places?.name ?? [])}
        unknown
        busy={action.isPending}
      />
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <p role="status" className="empty:hidden">
        {ask}
      </p>
      {plan.place_options.length > 0 ? (
        <section aria-label={words.options} className="flex flex-col gap-2">
          <h3 className="text-sm font-semibold text-ink-soft">{words.options}</h3>
          <ul className="flex flex-col divide-y divide-line">
            {byVotes(plan.place_options).map((option) => (
              <Suggested
                key={option.id}
                plan={plan}
                option={option}
                busy={action.isPending}
                choose={(verdict) =>
                  action.mutate(() => choose(option.id, option.places?.name ?? "", verdict))
                }
              />
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}

/** The place that most people want first. */
function byVotes(options: readonly PlaceOption[]): PlaceOption[] {
  const wanted = ({ place_votes }: PlaceOption) =>
    place_votes.reduce((sum, { answer }) => sum + (answer === "yes" ? 1 : answer === "no" ? -1 : 0), 0);
  return options.toSorted((a, b) => wanted(b) - wanted(a));
}

function Suggested({
  plan,
  option,
  busy,
  choose,
}: {
  plan: Plan;
  option: PlaceOption;
  busy: boolean;
  choose: (verdict: Verdict) => void;
}) {
  const words = planWords().addPlace;
  const name = option.places?.name ?? "";
  const ratings = useRatings();
  const verdict = verdictOn(plan, { time: plan.chosen_time_id, place: option.id }, ratings);
  const unwilling = unwillingAt(plan, plan.chosen_time_id, option.id).map((one) => firstName(plan, one));
  const warnings = [
    verdict.closed ? planWords().change.closed : null,
    unwilling.length > 0 ? placeOptionWords().refused(unwilling) : null,
    unsafeText(plan, verdict.unsafe),
  ];
  const does = verdict.unsafe.length > 0 || unwilling.length > 0 ? words.chooseAnyway : words.choose;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <p className="min-w-0 flex-1 basis-40 break-words">
        <span className="font-semibold">{name}</span>
        <span className="block text-sm empty:hidden">{warnings.filter((one) => one).join(" · ")}</span>
      </p>
      <Button
        aria-label={words.chooseOf(does, name)}
        isDisabled={busy || verdict.closed}
        onPress={() => choose(verdict)}
      >
        {does}
      </Button>
    </li>
  );
}
