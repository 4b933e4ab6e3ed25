/** Owns: the requests to join a plan, for its hosts to answer. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { answerJoinRequest } from "../mutations.ts";
import { inviteQueries, type JoinRequest } from "../queries.ts";
import { inviteWords } from "../words.ts";

export function JoinRequests({ plan }: { plan: string }) {
  const words = inviteWords().requests;
  const requests = useQuery(inviteQueries.requests(plan));
  if (requests.isError && !requests.data)
    return <ErrorNotice error={requests.error} retry={() => void requests.refetch()} />;
  if (!requests.data?.length) return null;
  return (
    <section aria-label={words.heading} className="paper flex flex-col gap-2 border-l-4 border-l-glow p-4">
      <h2 className="text-lg">{words.heading}</h2>
      <ul className="flex flex-col divide-y divide-line">
        {requests.data.map((request) => (
          <Request key={request.user_id} plan={plan} request={request} />
        ))}
      </ul>
      <p className="text-sm text-ink-soft">{words.note}</p>
    </section>
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
            look="action"
            aria-label={words.letInWhom(name)}
            busy={answer.isPending && answer.variables}
            onPress={() => give(true)}
          >
            {words.letIn}
          </Button>
          <Button
            aria-label={words.declineWhom(name)}
            busy={answer.isPending && !answer.variables}
            onPress={() => give(false)}
          >
            {words.decline}
          </Button>
        </div>
      </div>
      {answer.isError ? <ErrorNotice error={answer.error} /> : null}
    </li>
  );
}
