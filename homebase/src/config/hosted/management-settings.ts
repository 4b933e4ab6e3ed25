/**
 * Owns the mapping between config.toml's keys and the settings of a hosted project in the Management API, in
 * both directions. Names and units: the request bodies of the Supabase CLI 3.1.0's `config push`.
 */
import { isRecord } from "../../core/record.ts";

/** A setting with a name on both sides. */
export interface HostedSetting {
  /** Dotted, as in config.toml. */
  path: string;
  /** The Management API's name. */
  field: string;
  /** Whether the API never returns its value. */
  secret?: true;
  /** Whether config.toml names a file and the API takes its text. */
  file?: true;
  /** Converts the parsed configuration's value. */
  toApi(value: unknown): unknown;
  /** Converts to the parsed configuration's value; undefined where the API has none. */
  toConfig(value: unknown): unknown;
}

type Codec = Pick<HostedSetting, "toApi" | "toConfig">;

const same: Codec = { toApi: (value) => value, toConfig: (value) => value ?? undefined };
const negated: Codec = { toApi: (value) => !value, toConfig: (value) => !value };
const list: Codec = {
  toApi: (value) => (Array.isArray(value) ? value.join(",") : value),
  toConfig: (value) => (typeof value === "string" ? value.split(",").map(trim).filter(Boolean) : []),
};
const text: Codec = {
  toApi: (value) => (value === undefined || value === null ? "" : String(value)),
  toConfig: (value) => (value ? String(value) : undefined),
};
const portText: Codec = {
  toApi: (value) => String(value),
  toConfig: (value) => (value ? Number(value) : undefined),
};
/** Parsed durations are milliseconds. */
const seconds = scaled(1_000);
const hours = scaled(3_600_000);

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS = LETTERS.toUpperCase();
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\\\:\"|<>?,./`~";
const PASSWORD_SETS: Readonly<Record<string, string>> = {
  "": "",
  letters_digits: `${LETTERS}${CAPITALS}:0123456789`,
  lower_upper_letters_digits: `${LETTERS}:${CAPITALS}:0123456789`,
  lower_upper_letters_digits_symbols: `${LETTERS}:${CAPITALS}:0123456789:${SYMBOLS}`,
};
const passwordSet: Codec = {
  toApi: (value) => PASSWORD_SETS[String(value)] ?? "",
  toConfig: (value) => Object.keys(PASSWORD_SETS).find((name) => PASSWORD_SETS[name] === (value ?? "")) ?? "",
};

const MAILS = ["invite", "confirmation", "recovery", "magic_link", "email_change", "reauthentication"];
const NOTIFICATIONS = [
  "password_changed",
  "email_changed",
  "phone_changed",
  "mfa_factor_enrolled",
  "mfa_factor_unenrolled",
  "identity_linked",
  "identity_unlinked",
];
const PROVIDERS =
  "apple azure bitbucket discord facebook figma github gitlab google kakao keycloak linkedin_oidc notion slack_oidc slack spotify twitch twitter x workos zoom".split(
    " ",
  );
const PROVIDERS_WITH_URL = new Set(["azure", "gitlab", "keycloak", "workos"]);
const HOOKS = [
  "custom_access_token",
  "mfa_verification_attempt",
  "password_verification_attempt",
  "send_sms",
  "send_email",
  "before_user_created",
  "after_user_created",
];

/** `PATCH /v1/projects/{ref}/config/auth`. */
export const AUTH_SETTINGS: readonly HostedSetting[] = [
  setting("auth.site_url", "site_url"),
  setting("auth.additional_redirect_urls", "uri_allow_list", list),
  setting("auth.jwt_expiry", "jwt_exp"),
  setting("auth.enable_refresh_token_rotation", "refresh_token_rotation_enabled"),
  setting("auth.refresh_token_reuse_interval", "security_refresh_token_reuse_interval"),
  setting("auth.enable_manual_linking", "security_manual_linking_enabled"),
  setting("auth.enable_signup", "disable_signup", negated),
  setting("auth.enable_anonymous_sign_ins", "external_anonymous_users_enabled"),
  setting("auth.minimum_password_length", "password_min_length"),
  setting("auth.password_requirements", "password_required_characters", passwordSet),
  setting("auth.passkey.enabled", "passkey_enabled"),
  setting("auth.webauthn.rp_display_name", "webauthn_rp_display_name", text),
  setting("auth.webauthn.rp_id", "webauthn_rp_id", text),
  setting("auth.webauthn.rp_origins", "webauthn_rp_origins", list),
  setting("auth.rate_limit.anonymous_users", "rate_limit_anonymous_users"),
  setting("auth.rate_limit.token_refresh", "rate_limit_token_refresh"),
  setting("auth.rate_limit.sign_in_sign_ups", "rate_limit_otp"),
  setting("auth.rate_limit.token_verifications", "rate_limit_verify"),
  setting("auth.rate_limit.sms_sent", "rate_limit_sms_sent"),
  setting("auth.rate_limit.email_sent", "rate_limit_email_sent"),
  setting("auth.rate_limit.web3", "rate_limit_web3"),
  setting("auth.sessions.timebox", "sessions_timebox", hours),
  setting("auth.sessions.inactivity_timeout", "sessions_inactivity_timeout", hours),
  setting("auth.captcha.enabled", "security_captcha_enabled"),
  setting("auth.captcha.provider", "security_captcha_provider"),
  secret("auth.captcha.secret", "security_captcha_secret"),
  setting("auth.email.enable_signup", "external_email_enabled"),
  setting("auth.email.double_confirm_changes", "mailer_secure_email_change_enabled"),
  setting("auth.email.enable_confirmations", "mailer_autoconfirm", negated),
  setting("auth.email.secure_password_change", "security_update_password_require_reauthentication"),
  setting("auth.email.otp_length", "mailer_otp_length"),
  setting("auth.email.otp_expiry", "mailer_otp_exp"),
  setting("auth.email.max_frequency", "smtp_max_frequency", seconds),
  setting("auth.email.smtp.host", "smtp_host", text),
  setting("auth.email.smtp.port", "smtp_port", portText),
  setting("auth.email.smtp.user", "smtp_user", text),
  secret("auth.email.smtp.pass", "smtp_pass"),
  setting("auth.email.smtp.admin_email", "smtp_admin_email", text),
  setting("auth.email.smtp.sender_name", "smtp_sender_name", text),
  ...MAILS.flatMap((name) => mail(`auth.email.template.${name}`, name)),
  ...NOTIFICATIONS.flatMap((name) => [
    setting(`auth.email.notification.${name}.enabled`, `mailer_notifications_${name}_enabled`),
    ...mail(`auth.email.notification.${name}`, `${name}_notification`),
  ]),
  setting("auth.sms.enable_signup", "external_phone_enabled"),
  setting("auth.sms.enable_confirmations", "sms_autoconfirm", negated),
  setting("auth.sms.template", "sms_template"),
  setting("auth.sms.max_frequency", "sms_max_frequency", seconds),
  setting("auth.mfa.max_enrolled_factors", "mfa_max_enrolled_factors"),
  ...["totp", "phone", "web_authn"].flatMap((name) => [
    setting(`auth.mfa.${name}.enroll_enabled`, `mfa_${name}_enroll_enabled`),
    setting(`auth.mfa.${name}.verify_enabled`, `mfa_${name}_verify_enabled`),
  ]),
  ...PROVIDERS.flatMap((name) => [
    setting(`auth.external.${name}.enabled`, `external_${name}_enabled`),
    setting(`auth.external.${name}.client_id`, `external_${name}_client_id`, text),
    secret(`auth.external.${name}.secret`, `external_${name}_secret`),
    ...(PROVIDERS_WITH_URL.has(name)
      ? [setting(`auth.external.${name}.url`, `external_${name}_url`, text)]
      : []),
  ]),
  setting("auth.external.google.skip_nonce_check", "external_google_skip_nonce_check"),
  ...HOOKS.flatMap((name) => [
    setting(`auth.hook.${name}.enabled`, `hook_${name}_enabled`),
    setting(`auth.hook.${name}.uri`, `hook_${name}_uri`, text),
    secret(`auth.hook.${name}.secrets`, `hook_${name}_secrets`),
  ]),
  setting("auth.web3.solana.enabled", "external_web3_solana_enabled"),
  setting("auth.web3.ethereum.enabled", "external_web3_ethereum_enabled"),
  setting("auth.oauth_server.enabled", "oauth_server_enabled"),
  setting("auth.oauth_server.allow_dynamic_registration", "oauth_server_allow_dynamic_registration"),
];

/** `PATCH /v1/projects/{ref}/postgrest`. */
export const API_SETTINGS: readonly HostedSetting[] = [
  setting("api.schemas", "db_schema", list),
  setting("api.extra_search_path", "db_extra_search_path", list),
  setting("api.max_rows", "max_rows"),
];

/** The value at a dotted path. */
export function readPath(tree: unknown, path: string): unknown {
  let node = tree;
  for (const key of path.split(".")) node = isRecord(node) ? node[key] : undefined;
  return node;
}

/** Sets the value at a dotted path, creating tables as needed. */
export function writePath(tree: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let node = tree;
  for (const key of keys) {
    if (!isRecord(node[key])) node[key] = {};
    node = node[key] as Record<string, unknown>;
  }
  if (value === undefined) delete node[last];
  else node[last] = value;
}

function setting(path: string, field: string, codec: Codec = same): HostedSetting {
  return { path, field, ...codec };
}

function secret(path: string, field: string): HostedSetting {
  return { path, field, secret: true, ...text };
}

function mail(path: string, name: string): HostedSetting[] {
  return [
    setting(`${path}.subject`, `mailer_subjects_${name}`, text),
    { path: `${path}.content_path`, field: `mailer_templates_${name}_content`, file: true, ...text },
  ];
}

function scaled(milliseconds: number): Codec {
  return {
    toApi: (value) => (typeof value === "number" ? value / milliseconds : 0),
    toConfig: (value) => (typeof value === "number" && value > 0 ? value * milliseconds : undefined),
  };
}

function trim(value: string): string {
  return value.trim();
}
