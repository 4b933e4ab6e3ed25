/** A rehearsal beside a running stack names the requests that hosted's PostgREST and Auth do not know. */
import { expect, test } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { leaseHostedPorts } from "../../../test/port-lease.ts";

test("requests of the running stack are compared, in its log with --strict and at the end of a rehearsal", async () => {
  const project = new Project({
    "migrations/20260101000000_times.sql":
      "create table public.times (at timestamptz); alter table public.times enable row level security;",
  });
  const { laterRequests } = await import("../later-requests.ts");
  const { loadConfig } = await import("../../../src/config/config.ts");
  const said = () => laterRequests(loadConfig({ named: project.folder }));
  try {
    expect(await said()).toContain("no stack of this project is running");
    await project.start("--strict");
    await project.rest("times");
    expect(await said()).toMatch(
      /^The last 1 requests to REST and Auth .* None uses what these do not have\./,
    );
    for (const _ of [1, 2]) await project.rest("times", { headers: { prefer: "timezone=05:30" } });
    await project.says(/GET \/rest\/v1\/times: Prefer: timezone takes only/);
    await fetch(`${project.url}/auth/v1/factors/recovery-codes`, { headers: { apikey: project.key } });
    await project.says(
      /GET \/auth\/v1\/factors\/recovery-codes: Recovery codes are unknown to hosted's Auth/,
    );
    const rehearsed = await project.run(
      ...["deploy", "--rehearse", "--skip-smoke", "--port-offset", String(leaseHostedPorts())],
    );
    expect(rehearsed.stdout).toMatch(
      /The last 4 requests to REST and Auth .*\n! GET \/rest\/v1\/times: Prefer: timezone [^\n]* \(2 times\)\n! GET \/auth\/v1\/factors\/recovery-codes: Recovery codes [^\n]*\n$/,
    );
  } finally {
    await project.remove();
  }
}, 180_000);
