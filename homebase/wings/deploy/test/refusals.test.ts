/** Values of a development machine that must never be deployed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadRemoteConfig } from "../../../src/config/config.ts";
import { refusals, warnings } from "../settings/refusals.ts";

const BASE = `
project_id = "app"
[auth]
site_url = "http://127.0.0.1:5173"
additional_redirect_urls = ["http://localhost:5173/**"]
[auth.email]
enable_confirmations = false
max_frequency = "1s"
`;

const GOOD = `
[remotes.production]
project_id = "abcdefghijklmnopqrst"
[remotes.production.auth]
site_url = "https://app.example"
additional_redirect_urls = ["https://app.example/**"]
[remotes.production.auth.email]
enable_confirmations = true
max_frequency = "1m"
`;

function read(toml: string, environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "deploy-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "supabase"));
  writeFileSync(join(folder, "supabase", "config.toml"), toml);
  return loadRemoteConfig({ from: folder, environment, remote: "production" });
}
const refused = (toml: string, environment?: Record<string, string>) =>
  refusals(read(toml, environment), "production").join("\n");

test("the section that is missing is given, and sets everything that a deploy asks for", () => {
  let message = "";
  try {
    read(BASE);
  } catch (error) {
    ({ message } = error as Error);
  }
  const section = message.slice(message.indexOf("\n[remotes.production]"));
  expect(section).toContain('project_id = "abcdefghijklmnopqrst"');
  expect(section).toContain('site_url = "https://example.org"');
  expect(refused(`${BASE}${section}`)).toBe("");
});

test("a file without the section is refused as a whole", () => {
  expect(() => read(BASE)).toThrow("supabase/config.toml has no [remotes.production]");
});

test("the section's values replace those of development", () => {
  const remote = read(BASE + GOOD);
  expect(refusals(remote, "production")).toEqual([]);
  expect(warnings(remote)).toEqual([]);
  expect(remote.config.auth.site_url).toBe("https://app.example");
  expect(remote.config.auth.email.enable_confirmations).toBe(true);
});

test("what the section does not say itself is named, and not inherited", () => {
  const said = refused(`${BASE}\n[remotes.production]\nproject_id = "abcdefghijklmnopqrst"`);
  for (const key of ["auth.site_url", "auth.additional_redirect_urls", "auth.email.enable_confirmations"]) {
    expect(said).toContain(`[remotes.production] does not set ${key}`);
  }
  expect(said).toContain('auth.site_url = "http://127.0.0.1:5173" is an address of a development machine');
});

test.each([
  ["http://localhost:3000", "auth.site_url"],
  ["http://127.0.0.1", "auth.site_url"],
  ["http://[::1]:5173", "auth.site_url"],
  ["http://0.0.0.0:80/", "auth.site_url"],
])("%s is refused by the name of its key", (address, key) => {
  const said = refused(BASE + GOOD.replace("https://app.example", address));
  expect(said).toContain(`${key} = "${address}" is an address of a development machine.`);
});

test("a redirect to this machine among good ones is found", () => {
  const said = refused(
    BASE +
      GOOD.replace('["https://app.example/**"]', '["https://app.example/**", "http://localhost:5173/**"]'),
  );
  expect(said).toBe(
    'auth.additional_redirect_urls = "http://localhost:5173/**" is an address of a development machine.',
  );
});

test("an address that merely contains the word is none", () => {
  expect(refused(BASE + GOOD.replaceAll("app.example", "localhostel.example"))).toBe("");
});

test("a hook on this machine and mails every second are refused; test codes are not sent", () => {
  const remote = read(
    `${BASE}${GOOD.replace('"1m"', '"1s"')}
[auth.hook.send_email]
enabled = true
uri = "http://host.docker.internal:8080/mail"
[auth.sms.test_otp]
4152127777 = "123456"`,
  );
  const said = refusals(remote, "production").join("\n");
  expect(said).toContain("auth.hook.send_email.uri");
  expect(said).toContain('auth.email.max_frequency = "1s" is a development value');
  expect(said).not.toContain("auth.sms.test_otp");
  expect(warnings(remote).join("\n")).toContain("auth.sms.test_otp is not deployed");
});

test("a variable that is not set is refused, one that is set is its value", () => {
  const toml = BASE + GOOD.replace('"https://app.example"', '"env(APP_URL)"');
  expect(refused(toml)).toContain("auth.site_url is env(APP_URL), and APP_URL is not set.");
  expect(refused(toml, { APP_URL: "https://app.example" })).toBe("");
});

test("a site without encryption is refused", () => {
  expect(refused(BASE + GOOD.replace("https://app.example", "http://app.example"))).toContain(
    "does not begin with https://",
  );
});

test("confirmations that are off are said, as is a redirect to any host", () => {
  const toml = BASE + GOOD.replace("enable_confirmations = true", "enable_confirmations = false");
  expect(warnings(read(toml.replace("https://app.example/**", "https://*.example/**"))).join("\n")).toMatch(
    /anybody can sign up[\s\S]*any host/,
  );
});

/** Keys with values that are not sent, as `supabase init` wrote them in versions 1 and 2. */
const TEMPLATES = {
  "version 1": `
[studio]
api_url = "http://localhost"
[inbucket]
enabled = true
[auth.sms]
enable_signup = true
[auth.sms.twilio]
enabled = false
auth_token = "env(TWILIO_TOKEN)"
[auth.external.apple]
enabled = false
client_id = ""
secret = "env(APPLE_SECRET)"
redirect_uri = ""
url = ""
[analytics]
enabled = false
vector_port = 54328
gcp_project_id = ""
gcp_jwt_path = "supabase/gcloud.json"`,
  "version 2": `
[api.tls]
enabled = false
[db.network_restrictions]
enabled = false
allowed_cidrs = ["0.0.0.0/0"]
allowed_cidrs_v6 = ["::/0"]
[studio]
api_url = "http://127.0.0.1"
openai_api_key = "env(OPENAI_API_KEY)"
[auth.webauthn]
rp_id = "localhost"
rp_origins = ["http://127.0.0.1:3000"]
[auth.captcha]
enabled = false
secret = "env(CAPTCHA_SECRET)"
[auth.email.smtp]
enabled = false
host = "localhost"
pass = "env(SMTP_PASS)"
[auth.email.notification.password_changed]
enabled = false
content_path = "./templates/absent.html"
[auth.hook.send_email]
enabled = false
uri = "http://host.docker.internal:54321/functions/v1/mail"
secrets = "env(HOOK_SECRET)"
[auth.third_party.firebase]
enabled = false
[experimental]
s3_host = "env(S3_HOST)"
s3_secret_key = "env(S3_SECRET_KEY)"
[edge_runtime.secrets]
key = "env(SECRET_VALUE)"`,
};

test.each(Object.entries(TEMPLATES))(
  "what the template of %s has and a deploy does not send is not refused",
  (_, toml) => {
    expect(refused(BASE + GOOD + toml)).toBe("");
  },
);

test("the same values are refused once they would be sent", () => {
  const on = TEMPLATES["version 2"].replaceAll("enabled = false", "enabled = true");
  const said = refused(
    `${BASE}${GOOD}${on}\n[auth.passkey]\nenabled = true\n[db.vault]\nhome = "http://localhost:1"`,
  );
  expect(said.split("\n")).toEqual([
    'auth.webauthn.rp_id = "localhost" is an address of a development machine.',
    'auth.webauthn.rp_origins = "http://127.0.0.1:3000" is an address of a development machine.',
    "auth.captcha.secret is env(CAPTCHA_SECRET), and CAPTCHA_SECRET is not set.",
    'auth.email.smtp.host = "localhost" is an address of a development machine.',
    "auth.email.smtp.pass is env(SMTP_PASS), and SMTP_PASS is not set.",
    'auth.hook.send_email.uri = "http://host.docker.internal:54321/functions/v1/mail" is an address of a development machine.',
    "auth.hook.send_email.secrets is env(HOOK_SECRET), and HOOK_SECRET is not set.",
    'db.vault.home = "http://localhost:1" is an address of a development machine.',
    "auth.email.notification.password_changed.content_path: there is no file ./templates/absent.html.",
  ]);
});
