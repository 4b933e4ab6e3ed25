/**
 * Owns the explanation of joining a private channel: what the policies of `realtime.messages` let the caller read and
 * write there (docs/compat/realtime.md 16). Realtime asks them with rows that have a topic and an extension only.
 */
import { randomUUID } from "node:crypto";
import { readTable } from "./database/access.ts";
import { ExplainError } from "./database/session.ts";
import type { Asked } from "./request.ts";
import type { Rules } from "./rules.ts";
import { listed } from "./words.ts";
import { newRows } from "./writes.ts";

const MESSAGES = { schema: "realtime", name: "messages" };

/** Each use of a channel: the row that stands for it, and the words. */
const USES = [
  { extension: "broadcast", command: "select", can: "hear broadcasts", label: "Hears no broadcasts" },
  {
    extension: "presence",
    command: "select",
    can: "see who is present",
    label: "Does not see who is present",
  },
  { extension: "broadcast", command: "insert", can: "send broadcasts", label: "Sends no broadcasts" },
  { extension: "presence", command: "insert", can: "be present", label: "Is not present for others" },
] as const;

/** Explains joining `topic`. @throws ExplainError for a channel without a name. */
export async function explainJoin(rules: Rules, asked: Asked): Promise<void> {
  const topic = asked.path.replace(/^realtime:/, "");
  if (topic === "") throw new ExplainError("Name the channel: homebase explain JOIN room:1");
  const { session, caller } = rules;
  caller.settings = { "realtime.topic": topic };
  const table = await readTable(session, MESSAGES);
  const able: string[] = [];
  const told: string[] = [];
  for (const { extension, command, can, label } of USES) {
    const probe = JSON.stringify({ id: randomUUID(), topic, extension });
    const rows = await newRows(session, caller, table, probe);
    const about = `${command === "select" ? "reading" : "writing"} ${extension}`;
    const verdict = await rules.judge({ table: MESSAGES, about, command, selection: { rows }, label });
    rules.tables.push(verdict.table);
    told.push(...verdict.sentences);
    if (verdict.passed > 0) able.push(can);
  }
  const joins = USES.some(({ command, can }) => command === "select" && able.includes(can));
  rules.say(
    joins
      ? `Joins: on private channel ${topic}, ${caller.role} may ${listed(able)}.`
      : `Refused with "Unauthorized: You do not have permissions to read from this Channel topic: ${topic}": ${caller.role} may read neither broadcasts nor presence there.`,
    ...told,
  );
}
