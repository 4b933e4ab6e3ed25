/** Owns: the line that shows signed-in people under which account they join. */
import { useQuery } from "@tanstack/react-query";
import { peopleQueries } from "../../people/queries.ts";
import { inviteWords } from "../words.ts";

export function JoiningAs({ id }: { id: string }) {
  const profile = useQuery(peopleQueries.profile(id));
  if (!profile.data) return null;
  return <p className="text-center text-ink-soft">{inviteWords().join.inAs(profile.data.display_name)}</p>;
}
