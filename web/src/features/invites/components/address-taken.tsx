/** Owns: the message to a guest whose address already has an account, with the button that prepares the move. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useMyId } from "../../session/session.tsx";
import { prepareMove } from "../move-guest.ts";
import { inviteWords } from "../words.ts";

export function AddressTaken({ email }: { email: string }) {
  const words = inviteWords().move;
  const me = useMyId();
  const navigate = useNavigate();
  const go = useMutation({
    mutationFn: () => prepareMove(me, email.trim()),
    onSuccess: () => navigate({ to: "/sign-in", search: { next: "/me" } }),
  });
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p>{words.taken(email.trim())}</p>
      {go.isError ? <ErrorNotice error={go.error} /> : null}
      <Button look="action" busy={go.isPending} onPress={() => go.mutate()}>
        {words.signIn}
      </Button>
    </div>
  );
}
