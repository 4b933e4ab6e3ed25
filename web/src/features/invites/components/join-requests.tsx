/** Owns: the requests to join a plan, for its hosts to answer, and those for a person's own seat, for that person. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { listOf } from "../../../lib/i18n/words.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Fold } from "../../../ui/fold.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useMyId } from "../../session/session.tsx";
import { answerJoinRequest, answerSeatRequest } from "../mutations.ts";
import { inviteQueries, type JoinRequest } from "../queries.ts";
import { inviteWords } from "../words.ts";

export function JoinRequests({ plan }: { plan: string }) {
  const words = inviteWords().requests;
  const me = useMyId();
  const requests = useQuery(inviteQueries.requests(plan));
  if (requests.isError && !requests.data)
    return <ErrorNotice error={requests.error} retry={() => void requests.refetch()} />;
  const open = requests.data?.filter((request) => request.declined_at === null) ?? [];
  const declined = requests.data?.filter((request) => request.declined_at !== null) ?? [];
  const own = open.every(({ seat_of }) => seat_of === me);
  const heading = own ? words.seat.ownHeading : words.heading;
  return (
    <>
      {open.length > 0 ? (
        <section
          ref={showWhereAsked}
          aria-label={heading}
          tabIndex={-1}
          className="paper flex flex-col gap-2 border-l-4 border-l-glow p-4"
        >
          <h2 className="text-lg">{heading}</h2>
          <Requests plan={plan} of={open} />
          {open.every(({ seat_of }) => seat_of) ? null : (
            <p className="text-sm text-ink-soft">{words.note}</p>
          )}
        </section>
      ) : null}
      {declined.length > 0 ? (
        <Fold title={words.earlier} summary={listOf(declined.map((request) => request.display_name))}>
          <Requests plan={plan} of={declined} />
        </Fold>
      ) : null}
    </>
  );
}

/** A mail about a request leads to `#asking`, which is on the page only once the requests are read. */
function showWhereAsked(section: HTMLElement | null) {
  if (section && location.hash === "#asking") section.focus();
}

function Requests({ plan, of }: { plan: string; of: readonly JoinRequest[] }) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {of.map((request) => (
        <Request key={request.user_id} plan={plan} request={request} />
      ))}
    </ul>
  );
}

/** What a request says and its two buttons do: by a new person, for another's seat, or for one's own. */
function wordsOf({ display_name, seat_of, seat_name }: JoinRequest, me: string) {
  const words = inviteWords().requests;
  const { seat } = words;
  const name = seat_name ?? display_name;
  const decline = { no: words.decline, noWhom: words.declineWhom(name), declined: words.declined(name) };
  if (seat_of === null)
    return {
      ...decline,
      is: <bdi>{name}</bdi>,
      note: null,
      yes: words.letIn,
      yesWhom: words.letInWhom(name),
      done: words.isIn(name),
    };
  if (seat_of === me)
    return {
      is: seat.own,
      note: seat.ownNote,
      yes: seat.ownMove,
      yesWhom: seat.ownMove,
      done: words.seat.moved(name),
      no: seat.ownDecline,
      noWhom: seat.ownDecline,
      declined: seat.ownDeclined,
    };
  return {
    ...decline,
    is: seat.asks(name),
    note: seat.note(name),
    yes: seat.move,
    yesWhom: seat.moveWhose(name),
    done: seat.moved(name),
  };
}

function Request({ plan, request }: { plan: string; request: JoinRequest }) {
  const words = wordsOf(request, useMyId());
  const queries = useQueryClient();
  const announce = useAnnounce();
  const { user_id, seat_of } = request;
  const answer = useChange(
    (welcome: boolean) =>
      seat_of === null
        ? answerJoinRequest(plan, user_id, welcome)
        : answerSeatRequest(plan, user_id, seat_of, welcome),
    inviteQueries.requests(plan).queryKey,
  );
  const give = (welcome: boolean) =>
    answer.mutate(welcome, {
      onSuccess: () => {
        announce(welcome ? words.done : words.declined);
        if (welcome) void queries.invalidateQueries({ queryKey: ["plan", plan] });
      },
    });
  return (
    <li className="flex flex-col gap-2 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <p className="min-w-0 [overflow-wrap:anywhere]">{words.is}</p>
        <div className="flex flex-wrap gap-2">
          <Button
            look={request.declined_at === null ? "action" : "quiet"}
            aria-label={words.yesWhom}
            busy={answer.isPending && answer.variables}
            onPress={() => give(true)}
          >
            {words.yes}
          </Button>
          {request.declined_at === null ? (
            <Button
              aria-label={words.noWhom}
              busy={answer.isPending && !answer.variables}
              onPress={() => give(false)}
            >
              {words.no}
            </Button>
          ) : null}
        </div>
      </div>
      {words.note ? <p className="text-sm text-ink-soft">{words.note}</p> : null}
      {answer.isError ? <ErrorNotice error={answer.error} /> : null}
    </li>
  );
}
