/** Owns: the offer to undo a decision that the person has just made. */
import { toAppError } from "../../../lib/errors.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { useFocusBack } from "../../../ui/focus-back.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../../plans/actions.ts";
import { endUndo, undoDecision } from "../../plans/choices.ts";
import { decidingWords } from "../words.ts";

/** Stays in view, wherever on the page the decision was made. */
export function UndoNotice({ plan }: { plan: string }) {
  const words = decidingWords().undo;
  const announce = useAnnounce();
  useFocusBack();
  const action = usePlanAction(plan);
  const undo = () =>
    action.mutate(() => undoDecision(plan), {
      onSuccess: () => {
        announce(words.undone);
        endUndo();
      },
    });
  return (
    <section
      aria-label={words.name}
      className="paper sticky top-16 z-20 lg:top-4 lg:z-40 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-l-4 border-l-yes py-2 pr-2 pl-4 shadow-lift"
    >
      <p role="status">{words.text}</p>
      <Button busy={action.isPending} onPress={undo}>
        {words.do}
      </Button>
      {action.error ? <ErrorNotice error={toAppError(action.error)} /> : null}
    </section>
  );
}
