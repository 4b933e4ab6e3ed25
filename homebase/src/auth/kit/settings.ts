/** Owns Auth's settings, derived from config.toml and the environment. */
import type { Config } from "../../config/config.ts";
import { duration } from "../../config/schema.ts";
import type { ServiceContext } from "../../service-context.ts";

/** The settings of Auth. */
export interface Settings {
  /** `iss` of tokens. */
  issuer: string;
  /** Base URL of links in mail, without trailing slash. */
  externalUrl: string;
  emailEnabled: boolean;
  phoneEnabled: boolean;
  /** Whether users are confirmed on sign-up, without a mail. */
  emailAutoconfirm: boolean;
  phoneAutoconfirm: boolean;
  smsProvider: string;
  /** Whether a newer session ends the others with its tag at their next refresh. */
  singleSession: boolean;
  sessionTags: readonly string[];
  /** How long a session may stay at aal1 when its user has a second factor; undefined for no limit. */
  lowLevelMs: number | undefined;
  /** Whether a new password requires the current one, except in a recovery. */
  currentPasswordNeeded: boolean;
  /** Whether new sessions get counted refresh tokens instead of rows in auth.refresh_tokens. */
  countedTokens: boolean;
  /** Whether a counted token may be reused at any time. */
  tokenReuse: boolean;
  samlEnabled: boolean;
  /** How many assertions of SAML one address may post in five minutes. */
  assertionLimit: number;
  /** Request timeout in milliseconds. */
  requestMs: number;
  /** Maximum number of providers that administrators may add; undefined for no limit. */
  mostCustomProviders: number | undefined;
  /** The header with the client's IP address for rate limits; "" disables them. */
  limitHeader: string;
}

const REQUEST_MS = 10_000;
const ASSERTIONS = 15;
const SMS_PROVIDERS = ["twilio", "twilio_verify", "messagebird", "textlocal", "vonage"] as const;

function externalUrlOf({ external_url }: Config["auth"], url: string): string {
  return (external_url ?? `${url}/auth/v1`).replace(/\/$/, "");
}

/** `iss` of tokens. @param url of the project's API. */
export function issuerOf(config: Config["auth"], url: string): string {
  return config.jwt_issuer ?? externalUrlOf(config, url);
}

const smsProviderOf = ({ sms }: Config["auth"]) => SMS_PROVIDERS.find((name) => sms[name]?.enabled) ?? "";

/** Whether a code can reach somebody: by a provider, the hook, or as one that is fixed. */
function phoneCodesArrive(config: Config["auth"]): boolean {
  const { sms, hook } = config;
  return (
    smsProviderOf(config) !== "" || hook.send_sms?.enabled === true || Object.keys(sms.test_otp).length > 0
  );
}

export function readSettings(context: ServiceContext): Settings {
  const config = context.config.auth;
  const externalUrl = externalUrlOf(config, context.url);
  const smsProvider = smsProviderOf(config);
  return {
    issuer: issuerOf(config, context.url),
    externalUrl,
    emailEnabled: config.email.enabled ?? config.email.enable_signup,
    phoneEnabled: phoneCodesArrive(config) && (config.sms.enabled ?? config.sms.enable_signup),
    emailAutoconfirm: !config.email.enable_confirmations,
    phoneAutoconfirm: !config.sms.enable_confirmations,
    smsProvider: smsProvider || "twilio",
    ...environmentSettings(context.config.environment),
  };
}

/**
 * Settings that hosted projects have and config.toml has no key for, by upstream's environment names. Without
 * GOTRUE_RATE_LIMIT_HEADER requests are not limited by address, as with the CLI.
 */
function environmentSettings(environment: Config["environment"]) {
  const lowLevel = duration.safeParse(environment.GOTRUE_SESSIONS_ALLOW_LOW_AAL);
  const request = duration.safeParse(environment.GOTRUE_API_MAX_REQUEST_DURATION);
  return {
    singleSession: environment.GOTRUE_SESSIONS_SINGLE_PER_USER === "true",
    sessionTags: (environment.GOTRUE_SESSIONS_TAGS ?? "").split(",").filter(Boolean),
    lowLevelMs: lowLevel.success ? lowLevel.data : undefined,
    currentPasswordNeeded: environment.GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD === "true",
    samlEnabled: environment.GOTRUE_SAML_ENABLED === "true",
    assertionLimit: Number(environment.GOTRUE_SAML_RATE_LIMIT_ASSERTION) || ASSERTIONS,
    countedTokens: environment.GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION === "2",
    tokenReuse: environment.GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE === "true",
    requestMs: request.success ? request.data : REQUEST_MS,
    mostCustomProviders: Number(environment.GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS) || undefined,
    limitHeader: (environment.GOTRUE_RATE_LIMIT_HEADER ?? "").toLowerCase(),
  };
}
