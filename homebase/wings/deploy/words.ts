/** Owns a deploy's messages to people: the plan, what was done and what was not. */
import type { DeployResult, Plan } from "./deploy.ts";

/** The plan, for a terminal. */
export function planText({ ref, url, steps, warnings, resumes }: Plan): string {
  const lines = [`Deploy to ${ref} (${url})`];
  if (resumes) lines.push("The deploy before did not come to its end; this one goes on from there.");
  for (const { name, changes, warnings: own } of steps) {
    lines.push("", name);
    lines.push(...(changes.length === 0 ? ["  nothing to change"] : changes.map((change) => `  ${change}`)));
    lines.push(...own.map((warning) => `  ! ${warning}`));
  }
  if (warnings.length > 0) lines.push("", ...warnings.map((warning) => `! ${warning}`));
  return lines.join("\n");
}

/** What a deploy without changes leaves open. */
function allWarnings({ steps, warnings }: Plan): string[] {
  return [...steps.flatMap((step) => step.warnings), ...warnings].map((warning) => `! ${warning}`);
}

/** The event, and the next step. */
export function resultText({ outcome, plan, steps, failure, checks }: DeployResult): string {
  switch (outcome) {
    case "nothing to do":
      return ["The project is what the files say: nothing to do.", ...allWarnings(plan)].join("\n");
    case "planned":
      return "Nothing was changed.";
    case "declined":
      return "Stopped. Nothing was changed.";
    case "deployed":
      return [`Deployed to ${plan.ref}.`, ...checks.map((check) => `  checked: ${check}`)].join("\n");
    case "failed": {
      const lines = [
        `The deploy stopped in: ${failure?.step}.`,
        failure?.message ?? "",
        "",
        "Steps done and not done:",
      ];
      for (const { name, outcome: state, changes } of steps) {
        const step = plan.steps.find((one) => one.name === name);
        lines.push(`  ${name}: ${state}`);
        lines.push(...changes.map((change) => `    done: ${change}`));
        const open = (step?.changes ?? []).filter((change) => !changes.includes(change));
        // A call whose response was lost may have taken effect.
        const uncertain = state === "failed";
        lines.push(
          ...open.map((change) => `    ${uncertain ? "not known to be done" : "not done"}: ${change}`),
        );
        if ((changes.length > 0 || uncertain) && step) lines.push(`    to go back: ${step.undo}`);
      }
      lines.push("", "Fix the cause and run it again: completed steps are detected and skipped.");
      return lines.join("\n");
    }
  }
}
