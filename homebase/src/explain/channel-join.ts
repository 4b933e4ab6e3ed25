/**
 * Owns the explanation of joining a private channel: what the policies of `realtime.messages` let the caller read and
 * write there (docs/compat/realtime.md 16). Realtime asks them with rows that have a topic and an extension only.
 */
import { randomUUID } from "node:crypto";
import type { Asked } from "./asked-tables.ts";
import { readTable } from "./database/before-policies.ts";
import { ExplainError } from "./database/explanation-transaction.ts";
import type { Rules } from "./rules.ts";
import type { Label, Sentence } from "./verdicts.ts";
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

export interface UseVerdict {
  use: (typeof USES)[number];
  passed: boolean;
  /** Why not. */
  told: Sentence[];
}

/** Judges what the caller may do on a private channel. @param extensions of which uses */
export async function judgeUses(
  rules: Rules,
  topic: string,
  extensions: readonly string[],
): Promise<UseVerdict[]> {
  const { session, caller } = rules;
  caller.settings = { "realtime.topic": topic };
  const table = await readTable(session, MESSAGES);
  const verdicts: UseVerdict[] = [];
  for (const use of USES.filter(({ extension }) => extensions.includes(extension))) {
    const { extension, command } = use;
    const label: Label = { kind: "refused", text: use.label };
    const probe = JSON.stringify({ id: randomUUID(), topic, extension });
    const rows = await newRows(rules, table, probe);
    const about = `${command === "select" ? "reading" : "writing"} ${extension}`;
    const verdict = await rules.judge({ table: MESSAGES, about, command, selection: { rows }, label });
    rules.tables.push(verdict.table);
    verdicts.push({ use, passed: verdict.passed > 0, told: verdict.sentences });
  }
  return verdicts;
}

/** Explains joining `topic`. @throws ExplainError for a channel without a name. */
export async function explainJoin(rules: Rules, asked: Asked): Promise<void> {
  const topic = asked.path.replace(/^realtime:/, "");
  if (topic === "") throw new ExplainError("Name the channel: homebase explain JOIN room:1");
  const { role } = rules.caller;
  const uses = await judgeUses(rules, topic, ["broadcast", "presence"]);
  const able = uses.filter(({ passed }) => passed).map(({ use }) => use.can);
  const joins = uses.some(({ use, passed }) => use.command === "select" && passed);
  if (joins) rules.say("allowed", `Joins: on private channel ${topic}, ${role} may ${listed(able)}.`);
  else
    rules.say(
      "refused",
      `Refused with "Unauthorized: You do not have permissions to read from this Channel topic: ${topic}": ${role} may read neither broadcasts nor presence there.`,
    );
  rules.sentences.push(...toldOnce(uses));
}

/** What keeps broadcasts and presence out alike is told once, of both. */
function toldOnce(uses: readonly UseVerdict[]): Sentence[] {
  const rest = ({ use, told }: UseVerdict) => told.map(({ text }) => text.replace(use.label, "")).join("\n");
  return uses.flatMap((one) => {
    const alike = uses.filter((other) => other.use.command === one.use.command && rest(other) === rest(one));
    if (alike[0] !== one) return [];
    const labels = alike.map(({ use: { label } }, at) =>
      at === 0 ? label : label[0]?.toLowerCase() + label.slice(1),
    );
    return one.told.map((told) => ({
      ...told,
      text: told.text.replace(one.use.label, () => listed(labels)),
    }));
  });
}
