/** Owns: the line above a reply that shows the message it replies to, and leads there. */
import { useQuery } from "@tanstack/react-query";
import { chatQueries } from "../../messages/queries.ts";
import type { Message } from "../../messages/schema.ts";
import type { People } from "../people.ts";
import { chatWords } from "../words.ts";

/** @param known the message that is replied to, if it is loaded; otherwise it is read separately */
export function Answered({
  id,
  known,
  people,
  me,
  jumpTo,
}: {
  id: string;
  known: Message | undefined;
  people: People;
  me: string;
  jumpTo: (id: string) => void;
}) {
  const words = chatWords();
  const read = useQuery({ ...chatQueries.one(id), enabled: known === undefined });
  const message = known ?? read.data;
  const line = "mb-1 block w-full truncate border-l-2 border-current/50 pl-2 text-left text-xs opacity-85";
  if (!message || ("deleted_at" in message && message.deleted_at)) {
    return <p className={`${line} italic`}>{read.isLoading ? "…" : words.answeredGone}</p>;
  }
  const name = message.author_id === me ? words.you : people.nameOf(message.author_id);
  return (
    <button
      type="button"
      onClick={() => jumpTo(id)}
      className={`${line} min-h-6 cursor-pointer hover:opacity-100`}
    >
      <span className="font-semibold">{name}</span> {message.body || words.photo}
      <span className="sr-only">{`. ${words.jumpTo(name)}`}</span>
    </button>
  );
}
