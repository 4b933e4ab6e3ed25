/** Owns `homebase token`: a token as the other issuer of config.toml makes it, signed by this stack. */
import { existsSync } from "node:fs";
import { asWritten } from "../../../config/config-file.ts";
import { otherIssuerOf } from "../../../config/third-party.ts";
import { systemClock } from "../../../core/clock.ts";
import { silentLog } from "../../../core/log.ts";
import { isRecord } from "../../../core/record.ts";
import { issuerFileOf, refuseUntrusted, stateFolderOf } from "../../../postgres/cluster/state-folder.ts";
import { OtherIssuerTokens } from "../../../tokens/other-issuer.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";

const EXAMPLE = `[auth.third_party.clerk]
enabled = true
domain = "example.clerk.accounts.dev"`;

export const token: Command = {
  help: `Usage: homebase token --sub ID [options]

Prints a token as the issuer of [auth.third_party.*] in config.toml makes it (Clerk, Auth0, Firebase, Amazon Cognito,
WorkOS), without a network or an account there. It is signed by a key of this project's stack, and no other stack
accepts it. REST, Storage, Realtime and functions take it; Auth does not know its user.

Options:
  --sub ID           who it is, e.g. user_2abc
  --issuer NAME      the issuer's section; the enabled one by default
  --role ROLE        authenticated (the default) or anon
  --claims JSON      further claims, as an object
  --expires SECONDS  how long it is valid (default: 3600)
${sharedHelp}

Examples:
  homebase token --sub user_2abc
  homebase token --issuer clerk --sub user_2abc --claims '{"org_id":"org_1"}'`,
  values: { role: ["authenticated", "anon"] },
  run: async (args) => {
    const { values } = parseOptions(args, {
      sub: { type: "string" },
      issuer: { type: "string" },
      role: { type: "string", default: "authenticated" },
      claims: { type: "string", default: "{}" },
      expires: { type: "string", default: "3600" },
    });
    const { sub, issuer: named, role, expires } = values;
    const config = configFor(values);
    const other = otherIssuerOf(config.auth);
    if (!other)
      throw new CommandError(
        `No other issuer is enabled. Write into supabase/${config.file}, for example:\n${asWritten(config.file, EXAMPLE)}`,
      );
    if (named !== undefined && named !== other.name)
      throw new CommandError(`${config.file} enables ${other.name}, not ${named}.`);
    if (sub === undefined) throw new CommandError("Give the user: --sub ID.", 2);
    if (role !== "authenticated" && role !== "anon")
      throw new CommandError("--role is authenticated or anon: no other is accepted of another issuer.", 2);
    if (!/^[1-9]\d{0,8}$/.test(expires)) throw new CommandError("--expires is a number of seconds.", 2);
    const claims = parseClaims(values.claims);
    const file = issuerFileOf(config.projectFolder);
    if (!existsSync(stateFolderOf(config.projectFolder)))
      throw new CommandError("Run homebase start first: it makes the key that signs.");
    refuseUntrusted(config.projectFolder);
    const exp = Math.floor(systemClock.now() / 1_000) + Number(expires);
    const issuer = new OtherIssuerTokens(other, file, systemClock, silentLog);
    const text = await issuer.sign({ ...claims, sub, role, exp });
    console.log(values.json ? JSON.stringify({ token: text, issuer: other.issuer }) : text);
  },
};

function parseClaims(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new CommandError(`--claims is a JSON object, e.g. '{"org_id":"org_1"}'.`, 2);
}
