/** Owns: the page of an invite link. Works signed out: a name is enough. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate, useNavigate } from "@tanstack/react-router";
import { type Preview, previewQuery, readNamesake } from "../../features/invites/preview.ts";
import { takeSeat } from "../../features/invites/seat.ts";
import { inviteWords } from "../../features/invites/words.ts";
import { useSession } from "../../features/session/session.tsx";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useTitle } from "../../lib/device/title.ts";
import { toAppError } from "../../lib/errors.ts";
import { browserZone, formatTime } from "../../lib/time.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Closed, invitedTable, Opening, SeatForm } from "../joining.tsx";
import { LanguageChoice } from "../language-choice.tsx";

const route = getRouteApi("/join/$token");

export function Join() {
  const words = inviteWords().join;
  const { token } = route.useParams();
  const session = useSession();
  const preview = useQuery(previewQuery(token, session?.user.id ?? null));
  useTitle(preview.data ? words.title(preview.data.title) : words.untitled);
  const state = preview.data?.plan_state;
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col gap-6 px-5 py-8 sm:py-14">
      {preview.isPending ? (
        <Opening />
      ) : !preview.data ? (
        <Closed error={preview.error} retry={() => void preview.refetch()} />
      ) : preview.data.joined ? (
        <Inside preview={preview.data} />
      ) : state === "cancelled" || state === "done" ? (
        <Closed code={state === "done" ? "plan_over" : "plan_cancelled"} title={preview.data.title} />
      ) : (
        <Invitation token={token} preview={preview.data} />
      )}
      {/* Not below the skeleton, which is lower than the invitation. */}
      {session || preview.isPending ? null : <LanguageChoice className="mx-auto" />}
    </main>
  );
}

/** Members go on to the plan; the invitation is replaced in the history. */
function Inside({ preview }: { preview: Preview }) {
  return preview.target ? (
    <Navigate
      to={preview.kind === "plan" ? "/plans/$id" : "/circles/$id"}
      params={{ id: preview.target }}
      replace
    />
  ) : null;
}

function Invitation({ token, preview }: { token: string; preview: Preview }) {
  const words = inviteWords().join;
  const navigate = useNavigate();
  const session = useSession();
  const join = useMutation({
    mutationFn: (name: string | null) => takeSeat(token, name),
    onSuccess: ({ kind, target }) =>
      navigate({
        to: kind === "plan" ? "/plans/$id" : "/circles/$id",
        params: { id: target },
        replace: true,
      }),
  });
  const find = useMutation({ mutationFn: (name: string) => readNamesake({ token }, name) });
  const circle = preview.kind === "circle";
  const { starts_at, time_zone } = preview;
  const when = starts_at && time_zone ? formatTime(starts_at, time_zone, browserZone()) : null;
  const error = find.error ?? join.error;
  if (error && words.closed[toAppError(error).code]) {
    const retry = () => {
      find.reset();
      join.reset();
    };
    return <Closed error={error} title={preview.title} retry={retry} />;
  }
  return (
    <>
      <p className="text-center text-sm text-ink-soft">{words.whatItIs}</p>
      <TableDrawing seats={invitedTable(preview.people)} label={preview.title} className="mx-auto w-44" />
      <div className="text-center">
        <p className="text-ink-soft">{words.invitesYou(preview.host_name ?? words.friend)}</p>
        <h1 className="text-xl [overflow-wrap:anywhere] sm:text-2xl">{preview.title}</h1>
        <p className="mt-2 text-ink-soft" aria-live="polite">
          {words.there(preview.people)}
          {preview.plan_state === "polling" ? ` ${words.open}` : ""}
          {preview.plan_state === "confirmed" ? ` ${words.fixed(when)}` : ""}
        </p>
      </div>
      <Offered preview={preview} />
      {circle && (!session || session.user.is_anonymous) ? (
        <div className="flex flex-col gap-3 text-center">
          <p>{words.needsAccount}</p>
          <ButtonLink to="/sign-in" search={{ next: `/join/${token}` }} look="action">
            {words.signInOrUp}
          </ButtonLink>
        </div>
      ) : (
        <SeatForm
          go={words.take}
          help={words.nameHelp}
          link={{ token }}
          find={find.mutateAsync}
          host={preview.host_name ?? words.friend}
          busy={join.isPending}
          error={error}
          onGo={(name) => join.mutate(name)}
          next={`/join/${token}`}
        />
      )}
    </>
  );
}

/** How many times and places are named; the rest is a number. */
const NAMED = 3;

/** What there is to vote on, so that nobody gives a name without knowing for what. */
function Offered({ preview: { times, places, time_zone } }: { preview: Preview }) {
  const words = inviteWords().join.offered;
  const zone = time_zone ?? browserZone();
  const lines = [
    [words.when, times.map((time) => formatTime(time, zone, browserZone()))],
    [words.where, places.map((name) => name ?? words.atHome)],
  ] as const;
  return (
    <dl className="flex flex-col gap-3 empty:hidden sm:flex-row sm:gap-6">
      {lines
        .filter(([, all]) => all.length > 0)
        .map(([label, all]) => (
          <div key={label} className="flex gap-3 sm:flex-1 sm:flex-col sm:gap-1">
            <dt className="w-14 shrink-0 text-sm leading-6 text-ink-soft">{label}</dt>
            <dd>
              <ul className="flex flex-col gap-0.5">
                {all.slice(0, NAMED).map((one) => (
                  <li key={one} className="[overflow-wrap:anywhere]">
                    {one}
                  </li>
                ))}
                {all.length > NAMED ? (
                  <li className="text-ink-soft">{words.more(all.length - NAMED)}</li>
                ) : null}
              </ul>
            </dd>
          </div>
        ))}
    </dl>
  );
}
