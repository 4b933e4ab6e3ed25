/** `npm run push-keys`: prints a new pair of web push keys, as lines for the functions' secrets. */
import { parseArgs } from "node:util";
import { exitWithHelp } from "./process.ts";
import { makeVapidKeys } from "./vapid-keys.ts";

const HELP = `Usage: npm run push-keys -- --subject ADDRESS

Generates a pair of keys for notifications (web push) and prints the functions' three secrets.

Options:
  --subject ADDRESS   where push services can reach you: mailto:you@example.com or https://...
  --help              show this text`;

const { values } = parseArgs({
  options: { subject: { type: "string" }, help: { type: "boolean", short: "h" } },
});
if (values.help) exitWithHelp(HELP);
if (!/^(mailto:|https:\/\/)\S+$/.test(values.subject ?? "")) {
  console.error("--subject must be mailto:you@example.com or https://...");
  process.exit(1);
}
for (const [name, value] of Object.entries(makeVapidKeys(values.subject ?? ""))) {
  console.log(`${name}=${value}`);
}
