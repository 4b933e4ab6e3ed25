/** The exports of the library that explains row security. No service imports it. */
export { tracing } from "./call.ts";
export {
  beginCounting,
  type Counts,
  claimCoverageFolder,
  countsCoverage,
  coverageFolder,
  ensureCountedTemplate,
  forgetRuns,
  keepCounts,
  type Run,
  readRun,
} from "./coverage/counts.ts";
export { readCounter } from "./coverage/instrument.ts";
export {
  type Coverage,
  coverageOf,
  percentOf,
  textOfCoverage,
} from "./coverage/report.ts";
export { dataOf } from "./data.ts";
export type { Caller } from "./database/caller.ts";
export { keyToText } from "./database/keys.ts";
export { ExplainError } from "./database/session.ts";
export { EVENT, type ExplainRequestOptions, explain, JOIN } from "./explain.ts";
export { type Explanation, sentenceTexts } from "./explanation.ts";
export type { Group } from "./judge.ts";
export { judgeKeys, partsOfPolicies } from "./key-verdicts.ts";
export { askedOf, EXPLAINED_SERVICES, lastAsked } from "./recorded.ts";
export type { ApiSettings, Asked } from "./request.ts";
export { type RequestTest, type TestKind, testOf } from "./sample/test-file.ts";
export { explanationText } from "./text.ts";
export { NOTHING, readUntested, type Untested, UntestedError } from "./untested.ts";
