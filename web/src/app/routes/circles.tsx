/** Owns: the list of one's circles, and starting one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { circleName, createCircle } from "../../features/circles/mutations.ts";
import { circleQueries } from "../../features/circles/queries.ts";
import { faceOf, peopleQueries } from "../../features/people/queries.ts";
import { useMyId } from "../../features/session/session.tsx";
import { useTitle } from "../../lib/title.ts";
import { Faces } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { UsersIcon } from "../../ui/icons.ts";
import { Bone, Empty, ErrorNotice, Loading } from "../../ui/notice.tsx";
import { Sheet } from "../../ui/sheet.tsx";

export function Circles() {
  useTitle("Circles");
  const me = useMyId();
  const profile = useQuery(peopleQueries.profile(me));
  const circles = useQuery(circleQueries.all());
  const guest = profile.data?.is_guest ?? true;
  return (
    <div className="flex flex-col gap-6">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">Circles</h1>
        {guest ? null : (
          <Sheet title="A new circle" trigger={<Button look="action">Start a circle</Button>}>
            {(close) => <NewCircle close={close} />}
          </Sheet>
        )}
      </header>
      {circles.isPending ? (
        <Loading what="your circles">
          <div className="grid gap-3 md:grid-cols-2">
            <Bone className="h-24" />
            <Bone className="h-24" />
          </div>
        </Loading>
      ) : circles.isError ? (
        <ErrorNotice error={circles.error} retry={() => void circles.refetch()} />
      ) : circles.data.length === 0 ? (
        <Empty title="No circle yet" picture={<UsersIcon aria-hidden className="size-10 text-edge" />}>
          <p>
            {guest
              ? "A circle stays, so it needs an account. Add your address under Me; you keep everything."
              : "A circle is the people you eat with again and again."}
          </p>
        </Empty>
      ) : (
        <ul className="grid gap-3 md:grid-cols-2">
          {circles.data.map((circle) => (
            <li key={circle.id}>
              <Link
                to="/circles/$id"
                params={{ id: circle.id }}
                className="paper rise flex items-center justify-between gap-4 p-5 transition-colors duration-150 hover:bg-card-warm"
              >
                <span className="min-w-0">
                  <span className="block font-display text-lg leading-tight break-words">{circle.name}</span>
                  <span className="text-sm text-ink-soft">{circle.circle_members.length} people</span>
                </span>
                <Faces
                  faces={circle.circle_members.map((member) => faceOf(member.user_id, member.profiles))}
                  size={36}
                />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function NewCircle({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(false);
  const problem = asked ? circleName.safeParse(name).error?.issues[0]?.message : undefined;
  const create = useMutation({
    mutationFn: () => createCircle(name),
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ["circles"] });
      close();
      await navigate({ to: "/circles/$id", params: { id } });
    },
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (circleName.safeParse(name).success) create.mutate();
      }}
    >
      <Field
        label="Name"
        value={name}
        onChange={setName}
        placeholder="Thursday table"
        problem={problem}
        autoFocus
      />
      {create.isError ? <ErrorNotice error={create.error} /> : null}
      <Button type="submit" look="action" busy={create.isPending}>
        Start it
      </Button>
    </form>
  );
}
