/** Owns: renaming a circle, and deleting it for everyone. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ask } from "../../../ui/ask.tsx";
import { Button } from "../../../ui/button.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { deleteCircle, renameCircle } from "../mutations.ts";
import type { Circle } from "../queries.ts";
import { circleWords } from "../words.ts";
import { CircleForm } from "./circle-form.tsx";

/** @param owner only the owner deletes; admins rename */
export function ManageCircle({ circle, owner }: { circle: Circle; owner: boolean }) {
  const words = circleWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const onSettled = () => queries.invalidateQueries({ queryKey: ["circles"] });
  const rename = useMutation({ mutationFn: (name: string) => renameCircle(circle.id, name), onSettled });
  const remove = useMutation({ mutationFn: () => deleteCircle(circle.id), onSettled });
  return (
    <section aria-label={words.more} className="flex flex-wrap gap-2">
      <Sheet title={words.renameTitle} trigger={<Button look="plain">{words.rename}</Button>}>
        {(close) => (
          <CircleForm
            initial={circle.name}
            action={words.saveName}
            busy={rename.isPending}
            error={rename.error}
            submit={(name) => rename.mutate(name, { onSuccess: close })}
          />
        )}
      </Sheet>
      {owner ? (
        <Ask
          trigger={<Button look="plain">{words.delete}</Button>}
          title={words.deleteTitle}
          text={words.deleteText}
          action={words.delete}
          stay={words.stay}
          busy={remove.isPending}
          error={remove.error}
          act={(close) =>
            remove.mutate(undefined, {
              onSuccess: () => {
                close();
                void navigate({ to: "/circles" });
              },
            })
          }
        />
      ) : null}
    </section>
  );
}
