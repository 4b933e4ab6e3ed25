/** Owns: the words of the line that shows signed-in people under which account they join. */
import { useQuery } from "@tanstack/react-query";
import { peopleQueries } from "../../people/queries.ts";
import { inviteWords } from "../words.ts";

/** @param asking whether the host still decides */
export function JoiningAs({ id, asking = false }: { id: string; asking?: boolean }) {
  const words = inviteWords().join;
  const profile = useQuery(peopleQueries.profile(id));
  if (!profile.data) return null;
  const name = profile.data.display_name;
  return asking ? words.askingAs(name) : words.inAs(name);
}
