/** Owns: opening a guest's personal link on another device. It asks before it replaces another session. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { openPersonalLink } from "../../../features/invites/mutations.ts";
import { inviteWords } from "../../../features/invites/words.ts";
import { peopleQueries } from "../../../features/people/queries.ts";
import { useSession } from "../../../features/session/session.tsx";
import { sessionWords } from "../../../features/session/words.ts";
import { TableDrawing } from "../../../features/table/components/table-drawing.tsx";
import { useTitle } from "../../../lib/device/title.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";

const route = getRouteApi("/guest/$token");

export function Guest() {
  const words = inviteWords();
  const { open } = words.personal;
  useTitle(open.title);
  const { token } = route.useParams();
  const navigate = useNavigate();
  const go = useMutation({
    mutationFn: () => openPersonalLink(token),
    onSuccess: () => navigate({ to: "/home", replace: true }),
  });
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-5 px-5 py-10">
      <TableDrawing
        seats={[
          { id: "you", name: words.join.you, picture: null, look: "empty", words: words.join.yourSeat },
        ]}
        label={open.title}
        className="mx-auto w-56"
      />
      <h1 className="text-xl">{open.title}</h1>
      <p className="text-ink-soft">{open.text}</p>
      <WhoIsHere />
      {go.isError ? <ErrorNotice error={go.error} /> : null}
      <Button look="action" busy={go.isPending} onPress={() => go.mutate()}>
        {open.go}
      </Button>
      <OtherWay failed={go.isError} />
    </main>
  );
}

function WhoIsHere() {
  const { open } = inviteWords().personal;
  const session = useSession();
  const profile = useQuery({
    ...peopleQueries.profile(session?.user.id ?? ""),
    enabled: session !== null,
  });
  if (!session) return null;
  const name = profile.data?.display_name ?? session.user.email ?? "…";
  return (
    <p className="paper border-l-4 border-l-maybe p-4">
      {session.user.is_anonymous ? open.replacesGuest(name) : open.replaces(name)}
    </p>
  );
}

/** @param failed whether the link did not work: a guest who has added an address since then signs in with it */
function OtherWay({ failed }: { failed: boolean }) {
  if (useSession()) {
    return (
      <ButtonLink to="/home" look="plain">
        {inviteWords().personal.open.stay}
      </ButtonLink>
    );
  }
  return failed ? (
    <ButtonLink to="/sign-in" search={{ why: "expired" }} look="plain">
      {sessionWords().signIn.enter}
    </ButtonLink>
  ) : null;
}
