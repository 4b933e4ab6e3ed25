/** Owns: the button and sheet in which a host edits, changes, reopens or cancels a plan. Forms are loaded when they are opened. */
import { lazy, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { Part } from "../../plans/components/part.tsx";
import { stateOf } from "../../plans/domain.ts";
import type { Plan } from "../../plans/schema.ts";
import { planWords } from "../../plans/words/plan.ts";

const ChangeForm = lazy(async () => ({ default: (await import("./change-form.tsx")).ChangeForm }));
const EditForm = lazy(async () => ({ default: (await import("./edit-form.tsx")).EditForm }));

type View = "menu" | "edit" | "change" | "cancel";

interface ManageSheetProps {
  plan: Plan;
  me: string;
  now: number;
  busy: boolean;
  reopen: () => void;
  cancel: () => void;
}

export function ManageSheet({ plan, me, now, busy, reopen, cancel }: ManageSheetProps) {
  const words = planWords().host;
  const [opened, setView] = useState<View>("menu");
  const changes = planWords().change;
  const confirmed = stateOf(plan, now) === "confirmed";
  // Another host may reopen the vote meanwhile: then nothing is chosen that could be changed.
  const view = opened === "change" && !confirmed ? "menu" : opened;
  const titles = {
    menu: words.manage,
    edit: planWords().edit.title,
    change: changes.open,
    cancel: words.cancelTitle,
  };
  return (
    <Sheet title={titles[view]} trigger={<Button onPress={() => setView("menu")}>{words.manage}</Button>}>
      {(close) => {
        const closeAnd = (run: () => void) => () => {
          run();
          close();
        };
        switch (view) {
          case "edit":
            return (
              <Part>
                <EditForm plan={plan} me={me} now={now} close={close} />
              </Part>
            );
          case "change":
            return (
              <Part>
                <ChangeForm plan={plan} me={me} now={now} close={close} />
              </Part>
            );
          case "cancel":
            return (
              <>
                <p className="text-ink-soft">{words.cancelText}</p>
                <Button look="action" busy={busy} onPress={closeAnd(cancel)}>
                  {words.cancel}
                </Button>
              </>
            );
          case "menu":
            return (
              <ul className="flex flex-col gap-2">
                <Choice name={planWords().edit.open} help={words.editHelp} onPress={() => setView("edit")} />
                {confirmed ? (
                  <Choice name={changes.open} help={changes.help} onPress={() => setView("change")} />
                ) : null}
                {confirmed ? (
                  <Choice name={words.reopen} help={words.reopenHelp} onPress={closeAnd(reopen)} />
                ) : null}
                <Choice name={words.cancel} help={words.cancelHelp} onPress={() => setView("cancel")} />
              </ul>
            );
        }
      }}
    </Sheet>
  );
}

function Choice({ name, help, onPress }: { name: string; help: string; onPress: () => void }) {
  return (
    <li className="flex flex-col gap-1">
      <Button onPress={onPress} className="w-full">
        {name}
      </Button>
      <p className="px-2 text-center text-sm text-ink-soft">{help}</p>
    </li>
  );
}
