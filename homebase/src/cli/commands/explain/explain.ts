/** Owns `homebase explain`: why a request returns what it returns. */
import { dataOf, explain, explanationText } from "../../../explain/index.ts";
import { type Command, parseOptions, sharedHelp } from "../../kit/options.ts";
import { targetHelp, targetOptions } from "../../kit/target.ts";
import { askHelp, askOptions, withAsked } from "./asked.ts";

export const explainCommand: Command = {
  help: `Usage: homebase explain METHOD PATH [options]
       homebase explain --id ID | --last [options]
       homebase explain EVENT [SCHEMA.]TABLE[?FILTER] [options]
       homebase explain EVENT realtime:TOPIC[?event=NAME&private=true] [options]
       homebase explain JOIN TOPIC [options]

Says why rows are missing from the answer to a request to REST, why Storage refuses a request, why no event of a table
or no broadcast of a topic comes (EVENT), or what the caller may do on a private channel (JOIN): missing grants, filters, and each policy split at
its ANDs and ORs, with the verdict of every part for the rows that came back and those that did not. It goes into
subqueries, SQL functions and other tables' policies. A function that only reads is run again, for the statements inside.
A write is explained by its values and is not run, nor is a function that may write, unless you give --replay: then
triggers fire, and sequences and requests to other servers are not undone. Otherwise nothing is changed: everything is
one transaction that is rolled back. It judges up to 1,000 rows and takes one second at most. With --db-url the
transaction is read-only.

Options:
${askHelp}
  --replay           run the write, or the function that may write; what it does in the database is undone
  --tree             show the parts of policies that pass, too, and not their names alone
${targetHelp}
${sharedHelp}

Examples:
  homebase explain --last
  homebase explain GET /rest/v1/notes --as ana@example.com
  homebase explain GET "/rest/v1/notes?select=*,comments(*)&done=is.false" --as ana@example.com --row 7
  homebase explain PATCH "/rest/v1/notes?id=eq.7" --as ana@example.com --body '{"done":true}'
  homebase explain GET /rest/v1/notes --role anon --json
  homebase explain GET "/rest/v1/rpc/open_notes?team=1" --as ana@example.com
  homebase explain PUT /storage/v1/object/avatars/ana.png --as ana@example.com
  homebase explain EVENT "public.notes?team_id=eq.1" --row 7 --as ana@example.com
  homebase explain EVENT realtime:room:1 --as ana@example.com
  homebase explain JOIN room:1 --as ana@example.com
  homebase explain GET /rest/v1/notes --claims '{"role":"authenticated","sub":"..."}' --db-url "$DATABASE_URL"`,
  run: async (args) => {
    const { values, positionals } = parseOptions(
      args,
      { ...targetOptions, ...askOptions, replay: { type: "boolean" }, tree: { type: "boolean" } },
      true,
    );
    const { replay, tree } = values;
    const explanation = await withAsked(values, positionals, "explain", (client, asked, options) =>
      explain(client, asked, { ...options, replay }),
    );
    process.stdout.write(
      values.json ? `${JSON.stringify(dataOf(explanation))}\n` : explanationText(explanation, tree),
    );
  },
};
