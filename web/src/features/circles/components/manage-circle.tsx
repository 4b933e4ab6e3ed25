/** Owns: renaming a circle, and deleting it for everyone. */
import { useNavigate } from "@tanstack/react-router";
import { useChange } from "../../../lib/change.ts";
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
  const navigate = useNavigate();
  const rename = useChange((name: string) => renameCircle(circle.id, name), ["circles"]);
  const remove = useChange(() => deleteCircle(circle.id), ["circles"]);
  return (
    <section aria-label={words.more} className="flex flex-wrap gap-2">
      <Sheet title={words.renameTitle} trigger={<Button look="plain">{words.rename}</Button>}>
        {(close) => (
          <CircleForm
            initial={circle.name}
            action={words.saveName}
            of={rename}
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
