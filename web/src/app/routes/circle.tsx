/** Owns: one circle: who is in it, what they do, and its plans. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { dietWord } from "../../../../supabase/functions/_shared/diets.ts";
import { removeFromCircle, setCircleRole } from "../../features/circles/mutations.ts";
import { type Circle, circleQueries } from "../../features/circles/queries.ts";
import { InviteSheet } from "../../features/invites/components/invite-sheet.tsx";
import { createCircleInvite } from "../../features/invites/mutations.ts";
import { faceOf } from "../../features/people/queries.ts";
import { PlanCard } from "../../features/plans/components/plan-card.tsx";
import { planQueries } from "../../features/plans/queries.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useNow } from "../../lib/now.ts";
import { browserZone } from "../../lib/time.ts";
import { useTitle } from "../../lib/title.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Bone, Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";

const route = getRouteApi("/seated/circles/$id");

export function CircleScreen() {
  const { id } = route.useParams();
  const me = useMyId();
  const circles = useQuery(circleQueries.all());
  if (circles.isPending) {
    return (
      <Loading what="the circle">
        <Bone className="h-10 w-64" />
        <Bone className="mt-6 h-64" />
      </Loading>
    );
  }
  if (circles.isError) return <ErrorNotice error={circles.error} retry={() => void circles.refetch()} />;
  const circle = circles.data.find((one) => one.id === id);
  if (!circle) {
    return (
      <Empty title="This circle is not yours">
        <p>It is gone, or one of its admins has to add you.</p>
        <ButtonLink to="/circles">To your circles</ButtonLink>
      </Empty>
    );
  }
  return <CirclePage circle={circle} me={me} />;
}

function CirclePage({ circle, me }: { circle: Circle; me: string }) {
  useTitle(circle.name);
  const now = useNow();
  const plans = useQuery(planQueries.all());
  const mine = circle.circle_members.find((member) => member.user_id === me)?.role ?? "member";
  const here = (plans.data ?? []).filter((plan) => plan.circle_id === circle.id);
  return (
    <div className="flex flex-col gap-8">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <div>
          <h1 className="text-2xl break-words">{circle.name}</h1>
          <p className="text-ink-soft">{circle.circle_members.length} people</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {mine === "member" ? null : (
            <InviteSheet what="this circle" create={() => createCircleInvite(circle.id)} />
          )}
          <ButtonLink to="/plans/new" search={{ circle: circle.id }} look="action">
            Start a plan
          </ButtonLink>
        </div>
      </header>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <section aria-label="Plans" className="flex flex-col gap-3">
          <h2 className="text-lg">Plans</h2>
          {plans.isPending ? (
            <Bone className="h-32" />
          ) : here.length === 0 ? (
            <p className="text-ink-soft">No plan of this circle that you are on. Start one.</p>
          ) : (
            <ul className="flex flex-col gap-3">
              {here.map((plan) => (
                <li key={plan.id}>
                  <PlanCard plan={plan} me={me} now={now} viewerZone={browserZone()} />
                </li>
              ))}
            </ul>
          )}
        </section>
        <Members circle={circle} me={me} mine={mine} />
      </div>
    </div>
  );
}

function Members({ circle, me, mine }: { circle: Circle; me: string; mine: "owner" | "admin" | "member" }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const change = useMutation({
    mutationFn: (run: () => Promise<void>) => run(),
    onSettled: () => queries.invalidateQueries({ queryKey: ["circles"] }),
  });
  return (
    <section aria-label="People" className="flex flex-col gap-3">
      <h2 className="text-lg">People</h2>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
      <ul className="paper divide-y divide-line">
        {circle.circle_members.map((member) => {
          const face = faceOf(member.user_id, member.profiles);
          const self = member.user_id === me;
          const mayRemove =
            !self &&
            member.role !== "owner" &&
            (mine === "owner" || (mine === "admin" && member.role === "member"));
          return (
            <li key={member.user_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 p-3">
              <Avatar face={face} size={40} />
              <p className="min-w-0 flex-1 basis-40 leading-tight">
                <span className="font-semibold">{self ? "You" : face.name}</span>
                {member.role === "member" ? null : (
                  <span className="text-sm text-ink-soft"> · {member.role}</span>
                )}
                <span className="block text-sm text-ink-soft">
                  {member.profiles && member.profiles.diets.length > 0
                    ? member.profiles.diets.map(dietWord).join(", ")
                    : "eats everything"}
                </span>
              </p>
              <div className="flex">
                {mine === "owner" && !self ? (
                  <Button
                    look="plain"
                    isDisabled={change.isPending}
                    onPress={() =>
                      change.mutate(() =>
                        setCircleRole(
                          circle.id,
                          member.user_id,
                          member.role === "admin" ? "member" : "admin",
                        ),
                      )
                    }
                  >
                    <span className="text-sm">{member.role === "admin" ? "Make member" : "Make admin"}</span>
                  </Button>
                ) : null}
                {mayRemove ? (
                  <Button
                    look="plain"
                    isDisabled={change.isPending}
                    aria-label={`Remove ${face.name}`}
                    onPress={() => change.mutate(() => removeFromCircle(circle.id, member.user_id))}
                  >
                    <span className="text-sm">Remove</span>
                  </Button>
                ) : null}
                {self && member.role !== "owner" ? (
                  <Button
                    look="plain"
                    isDisabled={change.isPending}
                    onPress={() =>
                      change.mutate(() => removeFromCircle(circle.id, me), {
                        onSuccess: () => void navigate({ to: "/circles" }),
                      })
                    }
                  >
                    <span className="text-sm">Leave</span>
                  </Button>
                ) : null}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
