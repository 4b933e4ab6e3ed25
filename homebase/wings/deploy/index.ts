/** The exports of `homebase-stack/deploy`: a deploy to a hosted project from a program, and its checks. */
export { ConfigError, loadRemoteConfig, type RemoteConfig } from "../../src/config/config.ts";
export { type DeployOptions, type DeployResult, deploy, type Plan } from "./deploy.ts";
export { type Finding, type LintOptions, lintMigration, type Rule } from "./lint/lint.ts";
export { lintProject } from "./lint/project.ts";
export { refusals, warnings } from "./settings/refusals.ts";
export type { SmokeCheck, SmokeInput } from "./steps/smoke.ts";
export { DeployRefused } from "./steps/step.ts";
export { planText, resultText } from "./words.ts";
