/** The exports of the library that explains row security. No service imports it. */
export { type Part, parts } from "./database/policies.ts";
export { type Caller, ExplainError } from "./database/session.ts";
