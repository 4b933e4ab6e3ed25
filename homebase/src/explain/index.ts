/** The exports of the library that explains row security. No service imports it. */
export { type Part, parts } from "./database/policies.ts";
export { type Caller, ExplainError } from "./database/session.ts";
export { type ExplainRequestOptions, explain } from "./explain.ts";
export type { Explanation, TableExplanation } from "./explanation.ts";
export type { Group, Judgement, PartVerdict, Selection } from "./judge.ts";
export { askedOf } from "./recorded.ts";
export type { ApiSettings, Asked } from "./request.ts";
export { textOf } from "./text.ts";
export { judge } from "./why.ts";
