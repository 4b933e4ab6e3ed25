/** Owns what of an advisors' finding is a fact, and no sentence. */
import type { HostedFinding } from "../../src/tools/checks/advisors.ts";

export type { HostedFinding };

type Facts = Omit<HostedFinding, "description" | "detail">;

/** Without description, detail and a remediation that is no address, in the order of their keys. */
export function factsOf(findings: readonly HostedFinding[]): Facts[] {
  return findings
    .map(({ description: _, detail: __, remediation, ...facts }) => ({
      ...facts,
      remediation: remediation.startsWith("https:") ? remediation : "",
    }))
    .sort((one, other) => (`${one.name} ${one.cache_key}` < `${other.name} ${other.cache_key}` ? -1 : 1));
}
