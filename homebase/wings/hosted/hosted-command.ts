/** Owns `homebase hosted`: a stand-in for a hosted project, to rehearse a deploy on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInbox } from "../../src/backend/inbox.ts";
import { type Command, configFor, parseOptions } from "../../src/cli/kit/options.ts";
import { restartOnErrors } from "../../src/cli/kit/restarts.ts";
import { CommandError, paint, table } from "../../src/cli/kit/terminal.ts";
import { loadRemoteConfig } from "../../src/config/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { portFree, portHolder } from "../../src/developer/ports.ts";
import { type Hosted, startHosted } from "./start.ts";

const REF = /^[a-z]{20}$/;
const PORTS = { management: 55320, api: 55321, database: 55322, inbox: 55324 };

export const hosted: Command = {
  help: `Usage: homebase hosted [options]

Starts a stand-in for a new hosted project, empty, with a Management API as the Supabase CLI calls it. It
behaves like a hosted project: functions are the uploaded files, email addresses must be confirmed, role
postgres is not a superuser. It prints the environment in which the Supabase CLI takes it for its host. When it
ends, it deletes all its data, and lists the calls that it received, those that it does not have, and the requests to
REST and Auth that hosted's versions do not know.

Options:
  --ref REF          the project's reference, twenty lower-case letters (default: that of [remotes.production] in
                     config.toml, without one random)
  --legacy-keys      accept the legacy keys (JWTs) besides the publishable and secret key
  --port-offset N    add N to its ports: Management API ${PORTS.management}, API ${PORTS.api}, database ${PORTS.database}, inbox ${PORTS.inbox}
  --workdir FOLDER   the folder of a project, for the files of its Postgres
  --json             machine-readable output
  -h, --help         this text

Examples:
  homebase hosted --ref abcdefghijklmnopqrst
  homebase deploy --project-ref abcdefghijklmnopqrst ...   # as it prints`,
  run: async (args, wings) => {
    const { values } = parseOptions(args, { ref: { type: "string" }, "legacy-keys": { type: "boolean" } });
    if (values.ref !== undefined && !REF.test(values.ref)) {
      throw new CommandError("--ref takes a project's reference: twenty small letters.", 2);
    }
    const offset = Number(values["port-offset"] ?? 0);
    const { projectFolder } = configFor({ workdir: values.workdir });
    const ref = values.ref ?? configuredRef(projectFolder);
    const log = createLog("hosted", (entry) => {
      if (entry.level === "error" || (entry.level === "warn" && !values.json)) {
        const fields = entry.fields ? ` ${JSON.stringify(entry.fields)}` : "";
        process.stderr.write(`${entry.service}: ${entry.message}${fields}\n`);
      }
    });
    await demandPorts(offset);
    const mails = mkdtempSync(join(tmpdir(), "homebase-hosted-mail-"));
    const inbox = await openInbox({ folder: mails, port: PORTS.inbox + offset, clock: systemClock, log });
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
    let standIn: Hosted | undefined;
    try {
      standIn = await startHosted({
        projectFolder,
        ports: {
          management: PORTS.management + offset,
          api: PORTS.api + offset,
          database: PORTS.database + offset,
        },
        ref,
        legacyKeys: values["legacy-keys"] ?? false,
        sendMail: inbox.sendMail,
        log,
        wings,
      });
      const { project, management } = standIn;
      restartOnErrors(log, async () => {
        const branches = management.branches.list().map((branch) => branch.project.backend.restart());
        await Promise.all([project.backend.restart(), ...branches, management.restart(), inbox.restart()]);
      });
      process.stdout.write(
        values.json ? `${JSON.stringify(facts(standIn, inbox.url))}\n` : ready(standIn, inbox.url),
      );
      await stopped;
      process.stdout.write(values.json ? `${JSON.stringify(calls(standIn))}\n` : callsText(standIn));
    } finally {
      await standIn?.close();
      await inbox.close();
      rmSync(mails, { recursive: true, force: true });
    }
    // Timers of clients that are still connected must not delay the exit.
    process.exit(0);
  },
};

/** The reference that a deploy demands: it refuses a project that config.toml does not name. */
function configuredRef(projectFolder: string): string | undefined {
  try {
    const { overlay } = loadRemoteConfig({ named: projectFolder, remote: "production" });
    const { project_id: ref } = overlay;
    return typeof ref === "string" && REF.test(ref) ? ref : undefined;
  } catch {
    // Without the section, or with a mistake in the file, which a deploy names.
    return undefined;
  }
}

/** @throws CommandError for a port in use: before anything is started */
async function demandPorts(offset: number): Promise<void> {
  for (const [name, standard] of Object.entries(PORTS)) {
    const port = standard + offset;
    if (await portFree(port)) continue;
    throw new CommandError(
      `Port ${port} (${name}) is already in use by ${portHolder(port) ?? "another process"}.\n` +
        `Stop it, or choose other ports: homebase hosted --port-offset ${offset + 100}`,
    );
  }
}

function facts({ project, management, databaseUrl, supabaseEnvironment }: Hosted, inbox: string | undefined) {
  return {
    kind: "ready",
    ref: project.ref,
    url: project.url,
    managementUrl: management.url,
    databaseUrl,
    inboxUrl: inbox,
    accessToken: management.accessToken,
    publishableKey: project.keys.publishableKey,
    secretKey: project.keys.secretKey,
    supabaseEnvironment,
  };
}

function ready(standIn: Hosted, inbox: string | undefined): string {
  const { project, management, databaseUrl } = standIn;
  const rows: [string, string][] = [
    ["Reference", project.ref],
    ["API", project.url],
    ["Management API", management.url],
    ["Database", databaseUrl],
    ["Inbox", inbox ?? "none"],
    ["Publishable key", project.keys.publishableKey],
    ["Secret key", project.keys.secretKey],
  ];
  return `${paint("green", "A stand-in for a hosted project is ready")}
${table(rows)}

Deploy to it:
  SUPABASE_ACCESS_TOKEN=${management.accessToken} npx homebase-stack deploy --project-ref ${project.ref} \\
    --api-url ${management.url} --project-url ${project.url} --db-url ${databaseUrl}

Let the Supabase CLI reach it in this terminal (and no other host by https):
${Object.entries(standIn.supabaseEnvironment)
  .map(([name, value]) => `  export ${name}=${value}`)
  .join("\n")}
  supabase link --project-ref ${project.ref}
`;
}

function calls({ management, laterRequests }: Hosted) {
  return {
    kind: "calls",
    calls: management.received,
    unknown: management.unknown,
    later: laterRequests(),
  };
}

function callsText({ management, laterRequests }: Hosted): string {
  const counted = new Map<string, number>();
  for (const { call, status } of management.received) {
    const line = `${status} ${call}`;
    counted.set(line, (counted.get(line) ?? 0) + 1);
  }
  const lines = [...counted].map(([line, count]) => `  ${line}${count > 1 ? ` (${count} times)` : ""}`);
  const unknown = management.unknown.map((call) => `  ${call}`);
  const later = laterRequests().map((line) => `  ${line}`);
  return [
    "\nCalls of the Management API:",
    ...(lines.length > 0 ? lines : ["  none"]),
    ...(unknown.length > 0 ? ["Not implemented, responded with 501:", ...unknown] : []),
    ...(later.length > 0 ? ["Requests that hosted answers in another way:", ...later] : []),
    "",
  ].join("\n");
}
