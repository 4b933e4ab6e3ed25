/** Owns: removing a suggested time or place. It asks in place, with the number of answers that would be lost. */
import { useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { usePlanAction } from "../actions.ts";
import { planWords } from "../words/plan.ts";

interface WithdrawProps {
  planId: string;
  withdraw: () => Promise<unknown>;
  /** How many people answered it. */
  votes: number;
  /** The first button's text, the question, and what is said afterwards. */
  words: { open: string; title: string; done: string };
  /** The first button's name, where its text says less. */
  label?: string;
  /** Whether the button stands at the end of a line. */
  end?: boolean;
}

export function Withdraw({ planId, withdraw, votes, words, label, end = false }: WithdrawProps) {
  const shared = planWords().withdraw;
  const announce = useAnnounce();
  const action = usePlanAction(planId);
  const [asking, setAsking] = useState(false);
  const [asked, setAsked] = useState(false);
  if (!asking) {
    return (
      <Button
        look="plain"
        aria-label={label}
        className={end ? "-mr-2" : "-ml-2 self-start"}
        // The focus returns to the button that asked.
        autoFocus={asked}
        onPress={() => {
          setAsking(true);
          setAsked(true);
        }}
      >
        <span className="text-sm">{words.open}</span>
      </Button>
    );
  }
  return (
    <div className={`flex w-full flex-col items-start gap-2 text-ink ${end ? "pt-2" : ""}`}>
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      <p>
        <strong>{words.title}</strong> {shared.text(votes)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button
          look="action"
          busy={action.isPending}
          onPress={() => action.mutate(withdraw, { onSuccess: () => announce(words.done) })}
        >
          {shared.do}
        </Button>
        <Button autoFocus onPress={() => setAsking(false)}>
          {shared.cancel}
        </Button>
      </div>
    </div>
  );
}
