/** Owns: the page of an invite link. Works signed out: a name is enough. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { type Preview, previewQuery } from "../../features/invites/preview.ts";
import { takeSeat } from "../../features/invites/seat.ts";
import { inviteWords } from "../../features/invites/words.ts";
import { useSession } from "../../features/session/session.tsx";
import { type DrawnSeat, TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useTitle } from "../../lib/device/title.ts";
import { toAppError } from "../../lib/errors.ts";
import { browserZone, formatTime } from "../../lib/time.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { Form } from "../../ui/fields/form.tsx";
import { ErrorNotice, Loading } from "../../ui/notice.tsx";
import { LanguageChoice } from "../language-choice.tsx";

const route = getRouteApi("/join/$token");
const JoiningAs = lazy(async () => ({
  default: (await import("../../features/invites/components/joining-as.tsx")).JoiningAs,
}));

export function Join() {
  const words = inviteWords().join;
  const { token } = route.useParams();
  const session = useSession();
  const preview = useQuery(previewQuery(token, session?.user.id ?? null));
  useTitle(preview.data ? words.title(preview.data.title) : words.untitled);
  const state = preview.data?.plan_state;
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      {preview.isPending ? (
        <Loading
          page
          what={words.loading}
          className="flex flex-col items-center gap-4"
          shapes={["size-64 rounded-full", "h-8 w-3/4", "h-11 w-full"]}
        />
      ) : !preview.data ? (
        <Closed error={preview.error} retry={() => void preview.refetch()} />
      ) : preview.data.joined ? (
        <Inside preview={preview.data} />
      ) : state === "cancelled" || state === "done" ? (
        <Closed code={state === "done" ? "plan_over" : "plan_cancelled"} title={preview.data.title} />
      ) : (
        <Invitation token={token} preview={preview.data} />
      )}
      {session ? null : <LanguageChoice className="mx-auto" />}
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

/** Says why the link gives no seat, with words for each reason and a way on. */
function Closed({
  error,
  code,
  title,
  retry,
}: {
  error?: unknown;
  code?: string;
  title?: string;
  retry?: () => void;
}) {
  const words = inviteWords().join;
  const session = useSession();
  const why = words.closed[code ?? toAppError(error).code];
  return (
    <>
      <TableDrawing seats={[]} label={why?.title ?? words.untitled} className="mx-auto w-52 opacity-70" />
      <div className="flex flex-col gap-2 text-center">
        {title ? <p className="text-ink-soft">{title}</p> : null}
        {why ? (
          <>
            <h1 className="text-xl">{why.title}</h1>
            <p className="text-ink-soft">{why.text}</p>
          </>
        ) : (
          <h1 className="sr-only">{words.untitled}</h1>
        )}
      </div>
      {why ? null : <ErrorNotice error={error} {...(retry ? { retry } : {})} />}
      <div className="flex flex-wrap justify-center gap-2">
        {session ? (
          <ButtonLink to="/home" look="action">
            {words.toYourPlans}
          </ButtonLink>
        ) : (
          <ButtonLink to="/">{words.whatIsNosh}</ButtonLink>
        )}
        {why && retry ? (
          <Button look="plain" onPress={retry}>
            {words.tryAgain}
          </Button>
        ) : null}
      </div>
    </>
  );
}

function Invitation({ token, preview }: { token: string; preview: Preview }) {
  const words = inviteWords().join;
  const navigate = useNavigate();
  const session = useSession();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const join = useMutation({
    mutationFn: () => takeSeat(token, session ? null : name.trim()),
    onSuccess: ({ kind, target }) =>
      navigate({
        to: kind === "plan" ? "/plans/$id" : "/circles/$id",
        params: { id: target },
        replace: true,
      }),
  });
  const check = useMutation({
    // The rules for names are loaded together with the code that takes a seat.
    mutationFn: async (given: string) => {
      const { displayName } = await import("../../features/people/schema.ts");
      return displayName.safeParse(given).error?.issues[0]?.message;
    },
    onSuccess: (wrong) => {
      setProblem(wrong);
      if (!wrong) join.mutate();
    },
  });
  const circle = preview.kind === "circle";
  const refused = join.isError ? words.closed[toAppError(join.error).code] : undefined;
  if (refused) return <Closed error={join.error} title={preview.title} retry={() => join.reset()} />;
  return (
    <>
      <TableDrawing seats={invitedTable(preview.people)} label={preview.title} className="mx-auto w-64" />
      <div className="text-center">
        <p className="text-ink-soft">{words.invitesYou(preview.host_name ?? words.friend)}</p>
        <h1 className="text-xl [overflow-wrap:anywhere] sm:text-2xl">{preview.title}</h1>
        <p className="mt-2 text-ink-soft" aria-live="polite">
          {words.there(preview.people)}
          {preview.plan_state === "polling" ? ` ${words.open}` : ""}
          {preview.plan_state === "confirmed" ? ` ${words.fixed(decidedTime(preview))}` : ""}
        </p>
      </div>
      {circle && (!session || session.user.is_anonymous) ? (
        <div className="flex flex-col gap-3 text-center">
          <p>{words.needsAccount}</p>
          <ButtonLink to="/sign-in" search={{ next: `/join/${token}` }} look="action">
            {words.signInOrUp}
          </ButtonLink>
        </div>
      ) : (
        <Form
          noValidate
          className="flex flex-col gap-4"
          submit={() => {
            if (session) join.mutate();
            else check.mutate(name);
          }}
        >
          {session ? (
            <Suspense fallback={null}>
              <JoiningAs id={session.user.id} />
            </Suspense>
          ) : (
            <Field
              label={words.name}
              help={words.nameHelp}
              autoComplete="name"
              value={name}
              onChange={(next) => {
                setName(next);
                setProblem(undefined);
              }}
              problem={problem}
            />
          )}
          {join.isError || check.isError ? <ErrorNotice error={join.error ?? check.error} /> : null}
          <Button type="submit" look="action" busy={join.isPending || check.isPending}>
            {words.take}
          </Button>
          {session ? null : (
            <ButtonLink to="/sign-in" search={{ next: `/join/${token}` }} look="plain">
              {words.haveAccount}
            </ButtonLink>
          )}
        </Form>
      )}
    </>
  );
}

function decidedTime({ starts_at, time_zone }: Preview): string | null {
  return starts_at && time_zone ? formatTime(starts_at, time_zone, browserZone()) : null;
}

/** Signed-out people may see how many are there, but not who. The last seat is drawn as theirs. */
function invitedTable(people: number): DrawnSeat[] {
  const words = inviteWords().join;
  const known = Array.from(
    { length: people },
    (_, index): DrawnSeat => ({
      id: `guest-${index}`,
      name: null,
      picture: null,
      look: "set",
      words: "",
    }),
  );
  return [...known, { id: "you", name: words.you, picture: null, look: "empty", words: words.yourSeat }];
}
