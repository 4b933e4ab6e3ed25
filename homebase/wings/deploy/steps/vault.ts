/** Owns `[db.vault]`: secrets for the database, stored in Vault before migrations are applied. */
import type { Step, StepContext } from "./step.ts";

const SET = `select case when id is null then vault.create_secret($2, $1)::text else vault.update_secret(id, $2)::text end
  from (select (select id from vault.secrets where name = $1) as id) known`;

/** Creates missing and updates changed secrets; others are not changed. */
export async function vaultStep({ client, config }: StepContext): Promise<Step> {
  const wanted = Object.entries(config.db.vault);
  const { rows } =
    wanted.length === 0
      ? { rows: [] }
      : await client.query<{ name: string; value: string | null }>(
          "select name, decrypted_secret as value from vault.decrypted_secrets where name = any ($1)",
          [wanted.map(([name]) => name)],
        );
  const present = new Map(rows.map(({ name, value }) => [name, value]));
  const due = wanted.filter(([name, value]) => present.get(name) !== value);
  const words = (name: string) => `${present.has(name) ? "change" : "make"} the Vault entry ${name}`;
  return {
    name: "vault",
    changes: due.map(([name]) => words(name)),
    warnings: [],
    undo: "Deploy again with the earlier value in [db.vault], or select vault.update_secret(id, value).",
    apply: async (done) => {
      for (const [name, value] of due) {
        await client.query(SET, [name, value]);
        done(words(name));
      }
    },
  };
}
