/** Owns: the list of the person's circles, and starting one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { CircleForm } from "../../features/circles/components/circle-form.tsx";
import { createCircle } from "../../features/circles/mutations.ts";
import { circleQueries } from "../../features/circles/queries.ts";
import { circleWords } from "../../features/circles/words.ts";
import { faceOf, peopleQueries } from "../../features/people/queries.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useTitle } from "../../lib/device/title.ts";
import { Faces } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { UsersIcon } from "../../ui/icons.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Sheet } from "../../ui/sheet.tsx";

export function Circles() {
  const words = circleWords();
  useTitle(words.title);
  const me = useMyId();
  const profile = useQuery(peopleQueries.profile(me));
  const circles = useQuery(circleQueries.all());
  const guest = profile.data?.is_guest ?? true;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{words.title}</h1>
        {guest ? null : (
          <Sheet title={words.newTitle} trigger={<Button look="action">{words.start}</Button>}>
            {(close) => <NewCircle close={close} />}
          </Sheet>
        )}
      </header>
      <Loaded
        query={circles}
        what={words.loadingAll}
        className="grid gap-3 md:grid-cols-2"
        shapes={["h-24", "h-24"]}
      >
        {(data) =>
          data.length === 0 ? (
            <Empty title={words.none} picture={<UsersIcon aria-hidden className="size-10 text-edge" />}>
              <p>{guest ? words.noneGuest : words.noneText}</p>
            </Empty>
          ) : (
            <ul className="grid gap-3 md:grid-cols-2">
              {data.map((circle) => (
                <li key={circle.id}>
                  <Link
                    to="/circles/$id"
                    params={{ id: circle.id }}
                    className="paper settle flex items-center justify-between gap-4 p-5 transition-colors duration-150 hover:bg-card-warm"
                  >
                    <span className="min-w-0">
                      <span className="block font-display text-lg leading-tight break-words">
                        {circle.name}
                      </span>
                      <span className="text-sm text-ink-soft">
                        {words.people(circle.circle_members.length)}
                      </span>
                    </span>
                    <Faces
                      faces={circle.circle_members.map((member) => faceOf(member.user_id, member.profiles))}
                      size={36}
                    />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function NewCircle({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createCircle,
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["circles"] });
      close();
      await navigate({ to: "/circles/$id", params: { id } });
    },
  });
  return <CircleForm action={circleWords().startIt} of={create} submit={(name) => create.mutate(name)} />;
}
