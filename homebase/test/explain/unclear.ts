/** Owns the rules by which a sentence of an explanation is unclear to a person in a hurry. */

const LONGEST = 300;

const RULES: [string, RegExp][] = [
  ["quotes a query", /\( ?SELECT\b|\bSELECT .* FROM\b|\bHAVING\b|\bWITH (RECURSIVE|\w+ AS)\b/],
  ["has alternatives as SQL", / OR /],
  ["asks whether a function is not null", /\) IS NOT NULL/],
  ["lists nothing", /[:,] \.(?!select)|, ,/],
  ["has parentheses that say nothing", /\(\(\(/],
  ["says what explain cannot do", /could not be read|only its value is shown|cannot be gone into|not read/],
];

/** The unclear sentences of one answer, each with its reason first. */
export function unclear(sentences: readonly string[]): string[] {
  const told = new Set<string>();
  return sentences.flatMap((sentence, at) => {
    const reasons = RULES.flatMap(([name, rule]) => (rule.test(sentence) ? [name] : []));
    if (sentence.length > LONGEST) reasons.push(`has ${sentence.length} characters`);
    // What follows the label: the same policy with the same wish, told again.
    const clause = /policy ".*/s.exec(sentence)?.[0].replace(/: there (is|are) .*/, "");
    if (told.has(clause ?? sentence)) reasons.push("says what another one has said");
    told.add(clause ?? sentence);
    const refusal = sentence.startsWith("Refused with 4");
    if (refusal && at > 0 && !sentences[0]?.startsWith("Refused"))
      reasons.push("is a refusal that does not come first");
    return reasons.length === 0 ? [] : [`${reasons.join(", ")}: ${sentence}`];
  });
}
