/** Owns: the page of an invite link. Works signed out: a name is enough. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { acceptInvite } from "../../features/invites/mutations.ts";
import { inviteQueries, type Preview } from "../../features/invites/queries.ts";
import { displayName } from "../../features/people/schema.ts";
import { type DrawnSeat, TableDrawing } from "../../features/plans/components/table-drawing.tsx";
import { signInAsGuest } from "../../features/session/mutations.ts";
import { useSession } from "../../features/session/session.tsx";
import { useTitle } from "../../lib/title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Bone, ErrorNotice, Loading } from "../../ui/notice.tsx";

const route = getRouteApi("/join/$token");

export function Join() {
  const { token } = route.useParams();
  const session = useSession();
  const preview = useQuery(inviteQueries.preview(token, session?.user.id ?? null));
  useTitle(preview.data ? `Invitation: ${preview.data.title}` : "Invitation");
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      {preview.isPending ? (
        <Loading what="the invitation">
          <div className="flex flex-col items-center gap-4">
            <Bone className="size-64 rounded-full" />
            <Bone className="h-8 w-3/4" />
            <Bone className="h-11 w-full" />
          </div>
        </Loading>
      ) : preview.isError ? (
        <>
          <h1 className="text-xl">This seat is not free</h1>
          <ErrorNotice error={preview.error} retry={() => void preview.refetch()} />
          <ButtonLink to="/">What is Nosh?</ButtonLink>
        </>
      ) : (
        <Invitation
          token={token}
          preview={preview.data}
          signedIn={session !== null}
          guest={session?.user.is_anonymous ?? true}
        />
      )}
    </main>
  );
}

function Invitation({
  token,
  preview,
  signedIn,
  guest,
}: {
  token: string;
  preview: Preview;
  signedIn: boolean;
  guest: boolean;
}) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(false);
  const problem = asked ? displayName.safeParse(name).error?.issues[0]?.message : undefined;
  const join = useMutation({
    mutationFn: async () => {
      if (!signedIn) await signInAsGuest(name.trim());
      return acceptInvite(token);
    },
    onSuccess: ({ kind, target }) =>
      navigate({
        to: kind === "plan" ? "/plans/$id" : "/circles/$id",
        params: { id: target },
        replace: true,
      }),
  });
  if (preview.joined && preview.target && !join.isPending) {
    return (
      <Navigate
        to={preview.kind === "plan" ? "/plans/$id" : "/circles/$id"}
        params={{ id: preview.target }}
        replace
      />
    );
  }
  const circle = preview.kind === "circle";
  return (
    <>
      <TableDrawing seats={invitedTable(preview.people)} label={preview.title} className="mx-auto w-64" />
      <div className="text-center">
        <p className="text-ink-soft">{preview.host_name ?? "A friend"} invites you to</p>
        <h1 className="text-xl sm:text-2xl">{preview.title}</h1>
        <p className="mt-2 text-ink-soft">
          {preview.people} {preview.people === 1 ? "person is" : "people are"} there already.
          {preview.plan_state === "polling" ? " When and where is still open." : ""}
        </p>
      </div>
      {circle && (!signedIn || guest) ? (
        <div className="flex flex-col gap-3">
          <p>A circle stays, so it needs an account.</p>
          <ButtonLink to="/sign-in" search={{ next: `/join/${token}` }} look="action">
            Sign in or sign up
          </ButtonLink>
        </div>
      ) : (
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setAsked(true);
            if (signedIn || displayName.safeParse(name).success) join.mutate();
          }}
        >
          {signedIn ? null : (
            <Field
              label="Your name"
              help="That is all. No account, no mail."
              autoComplete="name"
              value={name}
              onChange={setName}
              problem={problem}
            />
          )}
          {join.isError ? <ErrorNotice error={join.error} /> : null}
          <Button type="submit" look="action" busy={join.isPending}>
            Take a seat
          </Button>
          {signedIn ? null : (
            <ButtonLink to="/sign-in" search={{ next: `/join/${token}` }} look="plain">
              I have an account
            </ButtonLink>
          )}
        </form>
      )}
    </>
  );
}

/** A signed-out person may know how many are there, not who. The last seat is theirs. */
function invitedTable(people: number): DrawnSeat[] {
  const known = Array.from(
    { length: people },
    (_, index): DrawnSeat => ({
      id: `guest-${index}`,
      name: "·",
      picture: null,
      look: "set",
      words: "is there",
    }),
  );
  return [...known, { id: "you", name: "You", picture: null, look: "empty", words: "have a free seat" }];
}
