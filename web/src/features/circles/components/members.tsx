/** Owns: the members of a circle with their roles and diets: changing a role, removing a member, leaving. */
import { useNavigate } from "@tanstack/react-router";
import { useChange } from "../../../lib/change.ts";
import { Ask } from "../../../ui/ask.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { removeFromCircle, setCircleRole } from "../mutations.ts";
import type { Circle, CircleMember } from "../queries.ts";
import { circleWords } from "../words.ts";

type Role = CircleMember["role"];

export function Members({ circle, me, mine }: { circle: Circle; me: string; mine: Role }) {
  const words = circleWords();
  return (
    <section aria-label={words.peopleTitle} className="flex flex-col gap-3">
      <h2 className="text-lg">{words.peopleTitle}</h2>
      <ul className="paper divide-y divide-line">
        {circle.circle_members.map((member) => (
          <MemberRow key={member.user_id} circle={circle} member={member} me={me} mine={mine} />
        ))}
      </ul>
    </section>
  );
}

function MemberRow({
  circle,
  member,
  me,
  mine,
}: {
  circle: Circle;
  member: CircleMember;
  me: string;
  mine: Role;
}) {
  const words = circleWords();
  const people = peopleWords();
  const navigate = useNavigate();
  const change = useChange((run: () => Promise<void>) => run(), ["circles"]);
  const face = faceOf(member.user_id, member.profiles);
  const self = member.user_id === me;
  const mayRemove =
    !self && member.role !== "owner" && (mine === "owner" || (mine === "admin" && member.role === "member"));
  const role = member.role === "admin" ? words.makeMember : words.makeAdmin;
  const ask = { stay: words.stay, busy: change.isPending, error: change.error };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 p-3">
      <Avatar face={face} size={40} />
      <p className="min-w-0 flex-1 basis-40 leading-tight">
        <span className="font-semibold break-words">{self ? people.you : face.name}</span>
        {member.role === "member" ? null : (
          <span className="text-sm text-ink-soft"> · {words.roles[member.role]}</span>
        )}
        <span className="block text-sm text-ink-soft">
          {member.profiles && member.profiles.diets.length > 0
            ? member.profiles.diets.map((diet) => people.diets[diet]).join(", ")
            : member.profiles?.diets_known
              ? people.eatsEverything
              : people.notSaid}
        </span>
      </p>
      <div className="flex flex-wrap text-sm">
        {mine === "owner" && !self ? (
          <>
            <Button
              look="plain"
              aria-label={words.changeOf(role, face.name)}
              isDisabled={change.isPending}
              onPress={() =>
                change.mutate(() =>
                  setCircleRole(circle.id, member.user_id, member.role === "admin" ? "member" : "admin"),
                )
              }
            >
              {role}
            </Button>
            <Ask
              {...ask}
              trigger={
                <Button look="plain" aria-label={words.changeOf(words.handOver, face.name)}>
                  {words.handOver}
                </Button>
              }
              title={words.handOverTitle(face.name)}
              text={words.handOverText(face.name)}
              action={words.handOver}
              act={(close) =>
                change.mutate(() => setCircleRole(circle.id, member.user_id, "owner"), { onSuccess: close })
              }
            />
          </>
        ) : null}
        {mayRemove ? (
          <Ask
            {...ask}
            trigger={
              <Button look="plain" aria-label={words.removeNamed(face.name)}>
                {words.remove}
              </Button>
            }
            title={words.removeTitle(face.name)}
            text={words.removeText(face.name)}
            action={words.remove}
            act={(close) =>
              change.mutate(() => removeFromCircle(circle.id, member.user_id), { onSuccess: close })
            }
          />
        ) : null}
        {self && member.role !== "owner" ? (
          <Ask
            {...ask}
            trigger={<Button look="plain">{words.leave}</Button>}
            title={words.leaveTitle}
            text={words.leaveText}
            action={words.leave}
            act={(close) =>
              change.mutate(() => removeFromCircle(circle.id, me), {
                onSuccess: () => {
                  close();
                  void navigate({ to: "/circles" });
                },
              })
            }
          />
        ) : null}
      </div>
    </li>
  );
}
