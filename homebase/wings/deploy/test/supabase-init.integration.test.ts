/** The project that the Supabase CLI's own `init` makes, deployed with the section that a deploy asks for. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadRemoteConfig } from "../../../src/config/config.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { startHosted } from "../../hosted/index.ts";
import { REF, testProject } from "./project.ts";

const program = process.env.SUPABASE_CLI;
const missing =
  process.env.SUPABASE_CLI_MISSING || "it is not installed: npm test -- integration installs it";

test("what the CLI's init writes is deployed, and a second time there is nothing to do", async (context) => {
  context.skip(!program, `the Supabase CLI: ${missing}`);
  const hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
  onTestFinished(() => hosted.close());
  const project = testProject();
  onTestFinished(() => project.drop());
  execFileSync(program ?? "", ["init", "--force", "--workdir", project.folder], {
    env: { ...process.env, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
  });
  const config = () => readFileSync(join(project.folder, "supabase/config.toml"), "utf8");
  expect(config()).toContain('allowed_cidrs = ["0.0.0.0/0"]');
  let advice = "";
  try {
    loadRemoteConfig({ from: project.folder, environment: {}, remote: "production", ref: REF });
  } catch (error) {
    advice = (error as Error).message;
  }
  project.write("supabase/config.toml", `${config()}\n${advice.slice(advice.indexOf("\n[remotes."))}\n`);
  const first = await project.deploy(hosted, { secrets: {} });
  expect([first.failure, first.outcome]).toEqual([undefined, "deployed"]);
  expect(hosted.project.auth).toMatchObject({
    site_url: "https://example.org",
    external_email_enabled: true,
    external_phone_enabled: false,
  });
  expect((await project.deploy(hosted, { secrets: {} })).outcome).toBe("nothing to do");
});
