/**
 * Owns the keys of `supabase/config.toml` that Homebase ignores: keys of the Supabase CLI's template, of its
 * earlier versions, and of hosted settings, with the reason why they have no effect.
 */

/** A key, with `*` in place of a project's own name; includes all keys below it. */
export interface UnusedKey {
  path: string;
  why: string;
  /** A warning at the start when the key is enabled, because a project may depend on it. */
  notable?: (value: unknown) => boolean;
}

/** A setting without a key in config.toml, by upstream's name in the environment. */
export interface EnvironmentSetting {
  name: string;
  fallback: string;
  what: string;
}

export const ENVIRONMENT_SETTINGS: readonly EnvironmentSetting[] = [
  { name: "GOTRUE_API_MAX_REQUEST_DURATION", fallback: "10s", what: "time limit of a request to Auth" },
  { name: "GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS", fallback: "no limit", what: "number of custom providers" },
  {
    name: "GOTRUE_RATE_LIMIT_HEADER",
    fallback: "none",
    what: "header with the client's address; without it, Auth limits nothing by address",
  },
  { name: "GOTRUE_SAML_ENABLED", fallback: "false", what: "SAML single sign-on" },
  {
    name: "GOTRUE_SAML_PRIVATE_KEY",
    fallback: "",
    what: "required for SAML: an RSA key of at least 2048 bits, PKCS#1, DER in base64",
  },
  { name: "GOTRUE_SAML_EXTERNAL_URL", fallback: "Auth's address", what: "base of SAML's addresses" },
  {
    name: "GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS",
    fallback: "false",
    what: "encrypted assertions, and a key for them in the metadata",
  },
  {
    name: "GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD",
    fallback: "2m",
    what: "how long a user may stay at the identity provider",
  },
  {
    name: "GOTRUE_SAML_RATE_LIMIT_ASSERTION",
    fallback: "15",
    what: "SAML responses in five minutes from an address",
  },
  {
    name: "GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION",
    fallback: "1",
    what: "2 for counted refresh tokens",
  },
  {
    name: "GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE",
    fallback: "false",
    what: "whether a counted token may be reused at any time",
  },
  {
    name: "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
    fallback: "false",
    what: "a new password requires the current one",
  },
  {
    name: "GOTRUE_SESSIONS_ALLOW_LOW_AAL",
    fallback: "no limit",
    what: "how long a session may stay below its user's second factor",
  },
  { name: "GOTRUE_SESSIONS_SINGLE_PER_USER", fallback: "false", what: "one session of each tag" },
  { name: "GOTRUE_SESSIONS_TAGS", fallback: "none", what: "tags of sessions, separated by commas" },
];

const isOn = (value: unknown) =>
  typeof value === "object" && value !== null && "enabled" in value && value.enabled === true;
const isSet = (value: unknown) => typeof value === "string" && value !== "" && !/^env\(.*\)$/.test(value);

const HOSTED = "a setting of hosted projects, for the Supabase CLI's config push";
const EARLIER = "a key of earlier versions of the Supabase CLI";
const NO_SMS = "no SMS is sent; codes go to the send_sms hook, or are those of auth.sms.test_otp";

export const UNUSED_KEYS: readonly UnusedKey[] = [
  { path: "api.tls", why: "the API speaks plain HTTP here", notable: isOn },
  { path: "api.kong_image", why: EARLIER },
  { path: "api.image", why: EARLIER },
  { path: "db.health_timeout", why: "Homebase waits as long as Postgres needs" },
  { path: "db.orioledb_version", why: "tables are stored by Postgres itself", notable: isSet },
  { path: "db.pooler", why: "there is no pooler; connect to db.port", notable: isOn },
  { path: "db.network_restrictions", why: HOSTED },
  { path: "db.ssl_enforcement", why: HOSTED },
  { path: "db.migrations.checks", why: "for the Supabase CLI's checks of migrations" },
  { path: "db.root_key", why: "Vault's key is a file of the data folder" },
  { path: "db.password", why: EARLIER },
  { path: "db.image", why: EARLIER },
  { path: "db.pgbouncer", why: EARLIER },
  { path: "realtime.ip_version", why: "the API listens on 127.0.0.1" },
  { path: "realtime.max_header_length", why: "headers have the limit of every service" },
  { path: "realtime.image", why: EARLIER },
  { path: "realtime.tenant_id", why: EARLIER },
  { path: "realtime.encryption_key", why: EARLIER },
  { path: "realtime.secret_key_base", why: EARLIER },
  { path: "local_smtp.pop3_port", why: "the inbox has no POP3; its page and API are on local_smtp.port" },
  { path: "inbucket", why: "the earlier name of local_smtp; its keys are read as those" },
  { path: "studio.api_url", why: "Studio is not part of Homebase" },
  { path: "studio.openai_api_key", why: "Studio is not part of Homebase" },
  { path: "studio.pgmeta_image", why: EARLIER },
  { path: "studio.image", why: EARLIER },
  { path: "storage.analytics", why: "analytics buckets are only on hosted projects", notable: isOn },
  { path: "storage.image", why: EARLIER },
  { path: "storage.target_migration", why: EARLIER },
  { path: "auth.image", why: EARLIER },
  {
    path: "auth.email.require_current_password",
    why: "not built: the current password is not asked for",
    notable: (value) => value === true,
  },
  {
    path: "auth.email.template.*.content",
    why: "for the Supabase CLI's config push; the text is read from content_path",
  },
  {
    path: "auth.email.notification.*.content",
    why: "for the Supabase CLI's config push; the text is read from content_path",
  },
  { path: "auth.sms.otp_length", why: "codes by SMS have six digits" },
  { path: "auth.sms.otp_expiry", why: "codes by SMS are valid for 6000 seconds" },
  { path: "auth.sms.twilio", why: NO_SMS, notable: isOn },
  { path: "auth.sms.twilio_verify", why: NO_SMS, notable: isOn },
  { path: "auth.sms.messagebird", why: NO_SMS, notable: isOn },
  { path: "auth.sms.textlocal", why: NO_SMS, notable: isOn },
  { path: "auth.sms.vonage", why: NO_SMS, notable: isOn },
  { path: "auth.web3.solana", why: "read whole: only enabled counts" },
  { path: "auth.web3.ethereum", why: "read whole: only enabled counts" },
  {
    path: "edge_runtime.deno_version",
    why: "functions run on the Deno that npm brings, which is 2",
    notable: (value) => value === 1,
  },
  { path: "edge_runtime.image", why: EARLIER },
  { path: "functions.*.image", why: EARLIER },
  { path: "analytics", why: "logs are in homebase logs, not in an analytics service" },
  { path: "compute", why: "Compute is only on hosted projects" },
  { path: "local", why: "pins the images of the Supabase CLI's own stack" },
  { path: "workdir", why: "the folder is given by --workdir" },
  { path: "remotes", why: "overlays for hosted projects, which homebase deploy and the Supabase CLI read" },
  { path: "experimental.compute", why: "Compute is only on hosted projects" },
  { path: "experimental.stack", why: "chooses the Supabase CLI's own stack" },
  { path: "experimental.orioledb_version", why: EARLIER },
  { path: "experimental.s3_host", why: "for OrioleDB's storage" },
  { path: "experimental.s3_region", why: "for OrioleDB's storage" },
  { path: "experimental.s3_access_key", why: "for OrioleDB's storage" },
  { path: "experimental.s3_secret_key", why: "for OrioleDB's storage" },
  { path: "experimental.pgdelta", why: "for the Supabase CLI's db diff" },
  { path: "experimental.inspect", why: "for the Supabase CLI's inspect" },
  { path: "experimental.rls", why: EARLIER },
];

/** Keys in the schema without effect, with the reason. */
export const KEYS_WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  "db.shadow_port": "no shadow database with a port of its own is started",
  "db.major_version": "Postgres is 17; the start warns about another number",
  "local_smtp.smtp_port": "the inbox has no SMTP port; mail arrives through its API",
  "auth.anon_key": "the key is made from auth.jwt_secret",
  "auth.service_role_key": "the key is made from auth.jwt_secret",
};

/** Names that Auth defines, in sections whose entries the project does not name. */
export const KNOWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  "auth.external":
    "apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion slack slack_oidc snapchat spotify twitch twitter x workos zoom".split(
      " ",
    ),
  "auth.hook":
    "before_user_created after_user_created custom_access_token mfa_verification_attempt password_verification_attempt send_email send_sms".split(
      " ",
    ),
  "auth.email.template": "confirmation email_change invite magic_link reauthentication recovery".split(" "),
  "auth.email.notification":
    "password_changed email_changed phone_changed identity_linked identity_unlinked mfa_factor_enrolled mfa_factor_unenrolled".split(
      " ",
    ),
  "auth.web3": ["ethereum", "solana"],
  "auth.third_party": ["auth0", "aws_cognito", "clerk", "firebase", "workos"],
};

/** The entry for a path, or for a section above it. */
export function unusedKey(path: readonly string[]): UnusedKey | undefined {
  return UNUSED_KEYS.find(({ path: known }) => {
    const parts = known.split(".");
    return parts.length <= path.length && parts.every((part, index) => part === "*" || part === path[index]);
  });
}

/** Keys that are valid directly in a section. */
export function unusedKeysIn(section: readonly string[]): string[] {
  return UNUSED_KEYS.map(({ path }) => path.split("."))
    .filter(
      (parts) =>
        parts.length === section.length + 1 &&
        section.every((part, index) => parts[index] === "*" || parts[index] === part),
    )
    .map((parts) => parts.at(-1) ?? "");
}

/** The most similar key, if it differs in few letters. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const one of names) {
    const distance = distanceOf(name.toLowerCase().replaceAll("-", "_"), one);
    if (distance <= Math.max(1, Math.floor(one.length / 3)) && (!best || distance < best.distance)) {
      best = { name: one, distance };
    }
  }
  return best?.name;
}

/** The edit distance, where two swapped letters are one edit. Names are short; longer ones are truncated. */
function distanceOf(left: string, right: string): number {
  const a = left.slice(0, 64);
  let before: number[] = [];
  let row = Array.from({ length: a.length + 1 }, (_, index) => index);
  for (let at = 0; at < right.length; at += 1) {
    const next = [at + 1];
    for (let index = 0; index < a.length; index += 1) {
      const swapped = a[index] === right[at - 1] && a[index - 1] === right[at];
      next.push(
        Math.min(
          (next[index] ?? 0) + 1,
          (row[index + 1] ?? 0) + 1,
          (row[index] ?? 0) + (a[index] === right[at] ? 0 : 1),
          swapped ? (before[index - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
