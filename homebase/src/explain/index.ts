/** The exports of the library that explains row security. No service imports it. */

export type { ApiSettings, Asked } from "./asked-tables.ts";
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
} from "./coverage/verdict-counts.ts";
export { dataOf } from "./data.ts";
export type { Caller } from "./database/explained-caller.ts";
export { ExplainError } from "./database/explanation-transaction.ts";
export { keyToText } from "./database/written-rows.ts";
export { EVENT, type ExplainRequestOptions, explain, JOIN } from "./explain-request.ts";
export { type Explanation, judgedRows, sentenceTexts } from "./explanation.ts";
export { tracing } from "./function-call.ts";
export type { Group } from "./judge.ts";
export { judgeKeys, partsOfPolicies } from "./key-verdicts.ts";
export { askedOf, EXPLAINED_SERVICES, lastAsked } from "./recorded.ts";
export { type RequestTest, type TestKind, testOf } from "./sample/test-file.ts";
export { uploadOf } from "./sample/uploaded-test.ts";
export { explanationText } from "./text.ts";
export { NOTHING, readUntested, type Untested, UntestedError } from "./untested.ts";
