/** Owns: the requests to join a plan, for its hosts to answer. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { listOf } from "../../../lib/i18n/words.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Fold } from "../../../ui/fold.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { answerJoinRequest } from "../mutations.ts";
import { inviteQueries, type JoinRequest } from "../queries.ts";
import { inviteWords } from "../words.ts";

export function JoinRequests({ plan }: { plan: string }) {
  const words = inviteWords().requests;
  const requests = useQuery(inviteQueries.requests(plan));
  if (requests.isError && !requests.data)
    return <ErrorNotice error={requests.error} retry={() => void requests.refetch()} />;
  const open = requests.data?.filter((request) => request.declined_at === null) ?? [];
  const declined = requests.data?.filter((request) => request.declined_at !== null) ?? [];
  return (
    <>
      {open.length > 0 ? (
        <section
          ref={showWhereAsked}
          aria-label={words.heading}
          tabIndex={-1}
          className="paper flex flex-col gap-2 border-l-4 border-l-glow p-4"
        >
          <h2 className="text-lg">{words.heading}</h2>
          <Requests plan={plan} of={open} />
          <p className="text-sm text-ink-soft">{words.note}</p>
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

function Request({ plan, request }: { plan: string; request: JoinRequest }) {
  const words = inviteWords().requests;
  const queries = useQueryClient();
  const announce = useAnnounce();
  const { user_id, display_name: name } = request;
  const answer = useChange(
    (welcome: boolean) => answerJoinRequest(plan, user_id, welcome),
    inviteQueries.requests(plan).queryKey,
  );
  const give = (welcome: boolean) =>
    answer.mutate(welcome, {
      onSuccess: () => {
        announce(welcome ? words.isIn(name) : words.declined(name));
        if (welcome) void queries.invalidateQueries({ queryKey: ["plan", plan] });
      },
    });
  return (
    <li className="flex flex-col gap-2 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <p className="min-w-0 [overflow-wrap:anywhere]">
          <bdi>{name}</bdi>
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            look={request.declined_at === null ? "action" : "quiet"}
            aria-label={words.letInWhom(name)}
            busy={answer.isPending && answer.variables}
            onPress={() => give(true)}
          >
            {words.letIn}
          </Button>
          {request.declined_at === null ? (
            <Button
              aria-label={words.declineWhom(name)}
              busy={answer.isPending && !answer.variables}
              onPress={() => give(false)}
            >
              {words.decline}
            </Button>
          ) : null}
        </div>
      </div>
      {answer.isError ? <ErrorNotice error={answer.error} /> : null}
    </li>
  );
}
