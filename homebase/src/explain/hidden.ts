/** Owns the sentences about rows that policies hide or refuse: which parts would have to be different. */
import { clauseOf, nothingAllows, treeClause, type Voice } from "./clauses.ts";
import { idOf, type Part } from "./database/policy-parts.ts";
import { withoutParentheses } from "./expression/expression.ts";
import type { Flip } from "./expression/verdict.ts";
import type { Group, Judgement } from "./judge.ts";
import { asEquality, denied, plain, TIME } from "./plain.ts";
import type { Reason, Tree, Value } from "./reason-tree.ts";
import type { Label, Sentence, SentenceKind, TableName } from "./verdicts.ts";
import { asksElsewhere, type Explained } from "./why.ts";
import { listed, rows, shown } from "./words.ts";

/** A longer sentence is read by nobody: what it leaves out stands in the tree. */
const LONGEST = 300;

/**
 * The sentences about rows that the policies do not let through.
 * @param label what that means for them. @param stored whether they are rows of the table, so that their number matters.
 */
export function hiddenSentences(
  { judgement, groups, others = [], compared = [] }: Explained,
  label: Label,
  you: string | undefined,
  stored = judgement.kind !== "check",
  raised = "The request fails with an error",
): Sentence[] {
  const { access, candidates, table } = judgement;
  if (access.rowSecurity !== "on") return [];
  const nothing = nothingAllows(judgement);
  if (nothing !== undefined)
    return [{ ...label, text: `${label.text}${stored ? ` (${rows(candidates)})` : ""}: ${nothing}.`, table }];
  const found: Finding[] = [];
  for (const [at, group] of judgement.groups.entries()) {
    const reasons = groups[at] ?? [];
    if (group.visible || reasons.length === 0) continue;
    const fails = failing(reasons, raised);
    const head = fails ?? label.text;
    const pieces = byBrief((voice) => piecesOf(judgement, group, reasons, voice, compared[at]));
    const own = joined(pieces);
    const same = found.find((one) => one.head === head && joined(one.pieces) === own);
    if (same) same.count += group.count;
    else {
      const about = aboutOf(table, fails === undefined ? label.kind : "answer", group.reason);
      found.push({ head, count: group.count, key: group.keys[0], pieces, about });
    }
    const other = others[at];
    if (other) {
      const last = other.key ? `e.g. ${other.key}` : "another";
      found.push({
        head: `${label.text} (of the same rows, ${last})`,
        count: 0,
        about: aboutOf(table, label.kind, group.reason),
        pieces: byBrief((voice) => clausesOf(other.reasons, voice)),
      });
    }
  }
  const told = new Set<string>();
  return found.flatMap(({ head, count, key, pieces, about }) => {
    const example = key === undefined ? "" : `, e.g. ${key}`;
    const which = candidates === 1 || count === 0 ? "" : ` (${rows(count)}${example})`;
    const [wish, rest] = split(joined(pieces));
    const repeats = told.has(wish) && rest !== "";
    told.add(wish);
    const whole = `${head}${which}: ${repeats ? rest : joined(pieces)}`;
    if (whole.length <= LONGEST) return [{ text: whole, ...about }];
    return pieces[0].map((_, at) => {
      const texts = pieces.map((own) => {
        const { text = "", ends, after } = own[at] ?? {};
        if (at === 0) return `${head}${which}: ${text}.`;
        return ends ? `${text}.` : after === undefined ? `And ${text}.` : `There, ${text}.`;
      });
      return { text: fitting(texts), ...about };
    });
  });

  function byBrief(write: (voice: Voice) => Piece[]): Pieces {
    return [write({ you, brief: 0 }), write({ you, brief: 1 }), write({ you, brief: 2 })];
  }
}

/** What a sentence about rows with one reason is about. */
function aboutOf(
  table: TableName,
  kind: SentenceKind,
  reason: readonly Flip<Part>[],
): Omit<Sentence, "text"> {
  const [first] = reason;
  const one = reason.every(({ leaf }) => leaf.policy === first?.leaf.policy);
  return {
    kind,
    table,
    policy: one ? first?.leaf.policy : undefined,
    part: reason.length === 1 && first ? idOf(first.leaf) : undefined,
  };
}

interface Finding {
  head: string;
  /** 0 for one of rows that another finding counts. */
  count: number;
  key?: string;
  pieces: Pieces;
  about: Omit<Sentence, "text">;
}

/** A clause of a sentence, or with `ends` a sentence that follows it. */
interface Piece {
  text: string;
  ends?: boolean;
  /** The text that joins it to the clause before it; "; and " by default. */
  after?: string;
}

/** The same clauses, each time briefer. */
type Pieces = readonly [Piece[], Piece[], Piece[]];

function joined([pieces]: Pieces): string {
  const told = pieces.map(
    ({ text, ends, after = "; and " }, at) => (at === 0 ? "" : ends ? ". " : after) + text,
  );
  return `${told.join("")}.`;
}

/** What a clause wants, and what there is instead. */
function split(text: string): [string, string] {
  const at = text.indexOf(": there ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 2)];
}

/** The sentences without those whose policy another one has told, with the same wish. */
export function withoutRepeats(sentences: readonly Sentence[]): Sentence[] {
  const told = new Set<string>();
  return sentences.filter(({ text }) => {
    const [wish] = split(/policy ".*|\S+ has row security and no policy.*/s.exec(text)?.[0] ?? text);
    const first = !told.has(wish);
    told.add(wish);
    return first;
  });
}

/** The fullest text that a person reads to its end. */
function fitting(texts: readonly string[]): string {
  return texts.find((text) => text.length <= LONGEST) ?? `${texts.at(-1)?.slice(0, LONGEST - 1)}…`;
}

/** An error in a policy ends the request, unless Postgres decides by another part first. */
function failing(reasons: readonly Reason[], raised: string): string | undefined {
  const errors = reasons.filter(({ error }) => error !== undefined).length;
  if (errors === 0) return undefined;
  return errors === reasons.length ? raised : raised.replace(/\bfails\b/, "may fail");
}

function clausesOf(reasons: readonly Reason[], voice: Voice): Piece[] {
  return reasons.flatMap((one, at): Piece[] => {
    const again = at > 0 && reasons[at - 1]?.policy === one.policy;
    const name = again ? "it" : `policy "${one.policy}"`;
    return [
      { text: `${name} ${clauseOf(one, { ...voice, apart: true })}` },
      ...hiddenIn(one).map((tree) => ({ text: treeClause(tree, voice), after: ", because " })),
    ];
  });
}

/** The trees of other tables' policies that hide rows from a part. */
function hiddenIn({ hidden = [], inside, within }: Reason): Tree[] {
  return [...hidden, ...[...(inside?.reasons ?? []), ...(within?.reasons ?? [])].flatMap(hiddenIn)];
}

/** The clauses on why a group of rows is hidden, and on what would show it. */
function piecesOf(
  judgement: Judgement,
  group: Group,
  reasons: readonly Reason[],
  voice: Voice,
  compared: ReadonlyMap<string, Value[]> = new Map(),
): Piece[] {
  const { reason } = group;
  const policies = [...new Set(reason.map(({ leaf }) => leaf.policy))];
  const own = group.alternatives.filter((flips) => flips.every(({ leaf }) => policies.includes(leaf.policy)));
  const other = otherPolicies(judgement, group, voice);
  if (own.length === 0) return [...clausesOf(reasons, voice), ...other];
  const inAll = ({ leaf }: Flip<Part>) =>
    [reason, ...own].every((flips) => flips.some((one) => one.leaf === leaf));
  // Each policy has its own alternatives: all their combinations together are read by nobody.
  const unmetOf = (sets: readonly (readonly Flip<Part>[])[], told: readonly Flip<Part>[] = []): string => {
    const each = sets.flatMap((flips) =>
      policies.map((policy) => {
        const parts = flips.filter((one) => one.leaf.policy === policy && !inAll(one));
        const isTold = parts.every(({ leaf }) => told.some((one) => one.leaf === leaf));
        return isTold ? "" : listed(parts.map((one) => unmet(one, voice)));
      }),
    );
    return [...new Set(each)].filter((one) => one !== "").join(", ");
  };
  const shared = (at: number) => reason[at] !== undefined && inAll(reason[at]);
  if (reasons.some((one, at) => (asksElsewhere(one) || one.error !== undefined) && !shared(at))) {
    const nor: Piece = { text: `Nor does an alternative hold: ${unmetOf(own, reason)}`, ends: true };
    return [...clausesOf(reasons, voice), nor, ...other];
  }
  const names = `${listed(policies.map((name) => `policy "${name}"`))} ${policies.length > 1 ? "have" : "has"}`;
  const told = [reason, ...own]
    .flat()
    .filter((one) => !inAll(one) && ownerIn(plain(one.leaf.text)) === undefined);
  const values = [...new Set(told.map(({ leaf }) => leaf.text))].flatMap((text) => compared.get(text) ?? []);
  const known = new Set(voice.brief > 0 ? [] : values.flatMap((one) => knownOf(one, voice.you)));
  const is = known.size > 0 ? ` (${listed([...known])})` : "";
  const none = { text: `${names} alternatives, and none holds: ${unmetOf([reason, ...own])}${is}` };
  const common = reasons.filter((_, at) => shared(at));
  return [...clausesOf(common, voice), none, ...other];
}

/** The opposite of a part in words: "not public", "not the author", "state is not 'open'". */
function unmet({ leaf, wanted }: Flip<Part>, { brief }: Voice): string {
  const asked = asEquality(withoutParentheses(leaf.text), wanted);
  const text = plain(asked.text, [], brief > 0 ? 40 : 80);
  if (!asked.wanted) return text;
  const column = ownerIn(text);
  if (column !== undefined) return `not the ${column.replace(/(?<=.)_?(id|uid)$/, "")}`;
  return denied(text) ?? `not ${text}`;
}

/** A value beside its operand; nothing for the asker's own id and for the time. */
function knownOf(value: Value, you: string | undefined): string[] {
  const is = shown(value, you);
  return is === "you" || TIME.test(value.text) ? [] : [`${plain(value.text, [], 40)} is ${is}`];
}

/** The column that is compared with the asker's id. */
function ownerIn(text: string): string | undefined {
  const owner = /^(?:auth\.uid\(\) = ([\w$]+)|([\w$]+) = auth\.uid\(\))$/.exec(text);
  return owner?.[1] ?? owner?.[2];
}

/** The permissive policies that would show the row as well, with the parts that they want: one of them is enough. */
function otherPolicies({ policies }: Judgement, { reason, alternatives }: Group, { brief }: Voice): Piece[] {
  const told = new Set(reason.map(({ leaf }) => leaf.policy));
  if (!policies.some(({ name, permissive }) => permissive && told.has(name))) return [];
  const others = policies.filter(({ name, permissive }) => permissive && !told.has(name));
  if (others.length === 0) return [];
  const each = ({ name }: (typeof others)[number]) => {
    const flips = alternatives
      .map((one) => one.filter(({ leaf }) => !reason.some((own) => own.leaf === leaf)))
      .find((one) => one.length > 0 && one.every(({ leaf }) => leaf.policy === name));
    if (!flips || brief > 0) return `"${name}"`;
    const wanted = flips.map(({ leaf, wanted }) => `${wanted ? "" : "not "}${plain(leaf.text, [], 60)}`);
    // Half of a condition says nothing.
    return wanted.some((one) => one.endsWith("…")) ? `"${name}"` : `"${name}" (${listed(wanted)})`;
  };
  const text =
    brief > 1
      ? `Or one of ${others.length} other policies that let it through`
      : `Or another policy that lets it through: ${listed(others.map(each), "or")}`;
  return [{ text, ends: true }];
}
