/** What a person is to a plan is read from one rule: nothing else compares what they said about coming. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
/** Without the oracle of the sentences (app/sentences), which must not share the rule: the rule, what a member has said since the decision, and the server's answer to an RSVP. */
const READERS = [
  "supabase/functions/_shared/table/person_state.ts",
  "web/src/features/table/components/ticket.tsx",
];

test("only the rule reads what a person said about coming", () => {
  const files = globSync(["web/src/**/*.{ts,tsx}", "supabase/functions/**/*.ts"], { cwd: root });
  const readers = files.filter(
    (file) =>
      !/\.test\.ts$|\/sentences\//.test(file) &&
      /\brsvp (===|!==)/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(readers.toSorted()).toEqual(READERS);
});
