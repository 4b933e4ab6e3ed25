/** Owns: the switch for notifications on this device, or the reason why there can be none. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { Switch } from "../../../ui/fields/switch.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { turnOff, turnOn } from "../device.ts";
import { pushQueries } from "../queries.ts";
import { pushWords } from "../words.ts";

export function PushSetting({ me }: { me: string }) {
  const words = pushWords();
  const state = useQuery(pushQueries.state(me));
  const change = useChange((on: boolean) => (on ? turnOn(me) : turnOff()), pushQueries.state(me).queryKey);
  const on = change.isPending ? change.variables : state.data === "on";
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-2 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <Loaded query={state} what={words.loading} shapes={["h-11"]}>
        {(data) =>
          data === "on" || data === "off" ? (
            <Switch
              isSelected={on}
              onChange={(next) => {
                // Not disabled while it changes, because that would lose the keyboard focus.
                if (!change.isPending) change.mutate(next);
              }}
            >
              {words.label}
            </Switch>
          ) : (
            <p className="text-ink-soft">{words[data]}</p>
          )
        }
      </Loaded>
      {change.isError && state.data !== "blocked" ? <ErrorNotice error={change.error} /> : null}
      <p role="status" className="sr-only">
        {change.isSuccess ? (change.variables ? words.turnedOn : words.turnedOff) : ""}
      </p>
    </section>
  );
}
