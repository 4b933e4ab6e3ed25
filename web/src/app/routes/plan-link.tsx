/**
 * Owns: a plan's own link for people who are not at the table: its name, the host and how many have joined, and asking for a
 * seat, or taking one where the hosts have opened the link. Works signed out.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { type AddressPreview, addressQuery, readNamesake } from "../../features/invites/preview.ts";
import { askForOwnSeat, askForSeat } from "../../features/invites/seat.ts";
import { inviteWords } from "../../features/invites/words.ts";
import { useSession } from "../../features/session/session.tsx";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useTitle } from "../../lib/device/title.ts";
import { toAppError } from "../../lib/errors.ts";
import { uuid } from "../../lib/search.ts";
import { Closed, invitedTable, Opening, SeatForm } from "../joining.tsx";
import { LanguageChoice } from "../language-choice.tsx";

const route = getRouteApi("/plans/$id/join");

/** The page for people who are signed out; it goes on to the plan once they sit there. */
export function PlanLinkScreen() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const session = useSession();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      <PlanLink
        id={id}
        next={`/plans/${id}${search.tab ? `?tab=${search.tab}` : ""}`}
        inside={<Navigate to="/plans/$id" params={{ id }} search={search} replace />}
      />
      {session ? null : <LanguageChoice className="mx-auto" />}
    </main>
  );
}

/** The same within the frame, for people who are signed in and not at the table. */
export function PlanLinkPart({ id }: { id: string }) {
  return (
    <div className="mx-auto flex max-w-md flex-col gap-6 py-6">
      <PlanLink id={id} next={`/plans/${id}`} inside={<ReadPlan id={id} />} />
    </div>
  );
}

/** The plan was read before the person sat there. */
function ReadPlan({ id }: { id: string }) {
  const queries = useQueryClient();
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: ["plan", id] });
  }, [queries, id]);
  return null;
}

interface PlanLinkProps {
  id: string;
  /** Where signing in leads back to. */
  next: string;
  /** What a person who sits at the plan gets. */
  inside: React.ReactNode;
}

function PlanLink({ id, next, inside }: PlanLinkProps) {
  const words = inviteWords().join;
  const session = useSession();
  const known = uuid(id) !== undefined;
  const preview = useQuery({ ...addressQuery(id, session?.user.id ?? null), enabled: known });
  useTitle(preview.data?.title ?? words.untitled);
  if (!known) return <Closed code="plan_not_found" />;
  if (preview.isPending) return <Opening />;
  if (!preview.data) return <Closed error={preview.error} retry={() => void preview.refetch()} />;
  const { title, joined, request, plan_state } = preview.data;
  if (joined) return inside;
  if (request === "removed") return <Closed code="removed_before" />;
  if (plan_state === "cancelled" || plan_state === "done")
    return <Closed code={plan_state === "done" ? "plan_over" : "plan_cancelled"} title={title} />;
  return <Ask id={id} next={next} preview={preview.data} />;
}

function Ask({ id, next, preview }: { id: string; next: string; preview: AddressPreview }) {
  const words = inviteWords();
  const { planLink } = words;
  const queries = useQueryClient();
  const session = useSession();
  const ask = useMutation({
    mutationFn: (ask: () => Promise<unknown>) => ask(),
    onSettled: () => queries.invalidateQueries({ queryKey: ["plan-address", id] }),
  });
  const host = preview.host_name ?? words.join.friend;
  const refused = ask.isError ? words.join.closed[toAppError(ask.error).code] : undefined;
  if (refused) return <Closed error={ask.error} title={preview.title} retry={() => ask.reset()} />;
  const { request } = preview;
  const answer = request === null || request === "removed" ? null : planLink[request];
  const asks = preview.opens || request === null || request === "declined" || request === "moved";
  return (
    <>
      <TableDrawing seats={invitedTable(preview.people)} label={preview.title} className="mx-auto w-64" />
      <div className="text-center">
        <h1 className="text-xl [overflow-wrap:anywhere] sm:text-2xl">{preview.title}</h1>
        <p className="mt-2 text-ink-soft" aria-live="polite">
          {planLink.hostedBy(host)}
          {". "}
          {words.join.there(preview.people)}
        </p>
      </div>
      <div role="status" className="text-center empty:hidden">
        {answer ? (
          <>
            <p className="font-semibold">{answer.title}</p>
            <p className="text-ink-soft">{answer.text(host)}</p>
          </>
        ) : null}
      </div>
      {asks ? (
        <SeatForm
          go={preview.opens ? words.join.take : request === "declined" ? planLink.askAgain : planLink.ask}
          help={preview.opens ? words.join.nameHelp : planLink.askHelp(host)}
          link={{ plan: id }}
          find={preview.opens ? (name) => readNamesake({ plan: id }, name) : null}
          host={host}
          busy={ask.isPending}
          error={ask.error}
          onGo={(name) => ask.mutate(() => askForSeat(id, name))}
          onBack={
            preview.opens || session?.user.is_anonymous === false
              ? undefined
              : (name) => ask.mutate(() => askForOwnSeat({ plan: id }, name))
          }
          next={next}
          asking={!preview.opens}
        />
      ) : null}
    </>
  );
}
