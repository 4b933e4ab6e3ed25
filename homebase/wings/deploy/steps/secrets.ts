/** Owns the secrets of functions: set if the platform's digest is missing or differs. */
import { createHash } from "node:crypto";
import { LOCAL_HOST } from "../settings/refusals.ts";
import { DeployRefused, type Step, type StepContext } from "./step.ts";

/**
 * Other secrets are not changed. @throws DeployRefused for a name or value that is invalid on a hosted
 * project
 */
export async function secretStep({ management, config, secrets }: StepContext): Promise<Step> {
  const refused = Object.entries(secrets).flatMap(([name, value]) => {
    if (name.startsWith("SUPABASE_"))
      return [`The secret ${name}: names that begin with SUPABASE_ are the platform's own.`];
    return LOCAL_HOST.test(value) ? [`The secret ${name} is an address of a development machine.`] : [];
  });
  if (refused.length > 0) throw new DeployRefused(refused);
  const list = await management.list("/secrets");
  const present = new Map(list.map(({ name, value }) => [name, value]));
  const due = Object.entries(secrets).filter(
    ([name, value]) => present.get(name) !== createHash("sha256").update(value).digest("hex"),
  );
  const missing = Object.keys(config.edge_runtime.secrets).filter(
    (name) => !(name in secrets) && !present.has(name),
  );
  const words = (name: string) => `${present.has(name) ? "change" : "set"} the secret ${name}`;
  return {
    name: "secrets",
    changes: due.map(([name]) => words(name)),
    warnings: missing.map(
      (name) =>
        `${config.file} uses the secret ${name}, which is neither set on the project nor in the secrets file.`,
    ),
    undo: "The platform gives no secret back: deploy again with the earlier value in the secrets file, or supabase secrets unset NAME for a new one.",
    apply: async (done) => {
      if (due.length === 0) return;
      await management.call(
        "POST",
        "/secrets",
        due.map(([name, value]) => ({ name, value })),
      );
      for (const [name] of due) done(words(name));
    },
  };
}
