/**
 * Owns the schema of `supabase/config.toml`: every key that Homebase reads, with the Supabase CLI's defaults
 * (docs/compat/platform.md 3.3, docs/compat/auth.md 5, docs/compat/storage.md 5). Keys keep the file's
 * snake_case names, so that code can be searched by the documented name.
 */
import { z } from "zod";
import { databaseSettings } from "./database-settings.ts";

/** Sizes use base 1024 whatever the unit is called; a bare number is bytes. */
export const byteSize = z.union([z.number().int().nonnegative(), z.string()]).transform((value, context) => {
  if (typeof value === "number") return value;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?\s*$/i.exec(value);
  if (!match) {
    context.addIssue({ code: "custom", message: `"${value}" is not a size such as "50MiB"` });
    return z.NEVER;
  }
  const power = ["", "k", "m", "g", "t"].indexOf((match[2] ?? "").toLowerCase());
  return Math.floor(Number(match[1]) * 1024 ** power);
});

/** Parses Go durations as the CLI does ("1s", "24h", "1h30m"), to milliseconds. */
export const duration = z.string().transform((value, context) => {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (value !== "0" && (parts.length === 0 || parts.map((part) => part[0]).join("") !== value)) {
    context.addIssue({ code: "custom", message: `"${value}" is not a duration such as "1h30m"` });
    return z.NEVER;
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ""] ?? 0), 0);
});

const port = z.number().int().min(1).max(65_535);
const strings = z.array(z.string());
/** One that is printed as a variable: what follows a line break would be a variable of its own. */
const printed = z.string().regex(/^\P{Cc}*$/u, "must not have control characters");

const api = z.object({
  enabled: z.boolean().default(true),
  port: port.default(54_321),
  // Earlier templates have an empty list; PostgREST reads an empty setting as one that is not set.
  schemas: strings
    .transform((names) => (names.length > 0 ? names : ["public"]))
    .default(["public", "graphql_public"]),
  extra_search_path: strings.default(["public", "extensions"]),
  max_rows: z.number().int().nonnegative().default(1_000),
  auto_expose_new_tables: z.boolean().optional(),
  external_url: printed.optional(),
  tls: z.looseObject({ enabled: z.boolean().default(false) }).optional(),
});

const db = z.object({
  port: port.default(54_322),
  shadow_port: port.default(54_320),
  major_version: z.number().int().default(17),
  migrations: z
    .object({ enabled: z.boolean().default(true), schema_paths: strings.default([]) })
    .prefault({}),
  seed: z
    .object({ enabled: z.boolean().default(true), sql_paths: strings.default(["./seed.sql"]) })
    .prefault({}),
  vault: z.record(z.string(), z.string()).default({}),
  settings: databaseSettings.prefault({}),
});

const bucket = z.object({
  public: z.boolean().optional(),
  file_size_limit: byteSize.optional(),
  allowed_mime_types: strings.optional(),
  objects_path: z.string().optional(),
});

const storage = z.object({
  enabled: z.boolean().default(true),
  file_size_limit: byteSize.default(50 * 1024 ** 2),
  image_transformation: z.object({ enabled: z.boolean().default(false) }).prefault({}),
  s3_protocol: z.object({ enabled: z.boolean().default(true) }).prefault({}),
  vector: z
    .object({
      enabled: z.boolean().default(true),
      max_buckets: z.number().int().nonnegative().default(10),
      max_indexes: z.number().int().nonnegative().default(5),
      buckets: z.record(z.string(), z.object({})).default({}),
    })
    .prefault({}),
  buckets: z.record(z.string(), bucket).default({}),
});

const smtp = z.object({
  enabled: z.boolean().default(true),
  host: z.string().optional(),
  port: port.optional(),
  user: z.string().optional(),
  pass: z.string().optional(),
  admin_email: z.string().optional(),
  sender_name: z.string().optional(),
});

const template = z.object({ subject: z.string().optional(), content_path: z.string().optional() });
const notification = template.extend({ enabled: z.boolean().default(false) });

/** Auth takes 6 for a length that is out of its bounds, and so does a project of hosted's. */
const otpLength = z
  .number()
  .int()
  .transform((length) => (length < 6 || length > 10 ? 6 : length));

const email = z.object({
  enabled: z.boolean().optional(),
  enable_signup: z.boolean().default(true),
  double_confirm_changes: z.boolean().default(true),
  enable_confirmations: z.boolean().default(false),
  secure_password_change: z.boolean().default(false),
  max_frequency: duration.default(1_000),
  otp_length: otpLength.default(6),
  otp_expiry: z.number().int().positive().default(3_600),
  smtp: smtp.optional(),
  template: z.record(z.string(), template).default({}),
  notification: z.record(z.string(), notification).default({}),
});

const smsProvider = z.looseObject({ enabled: z.boolean().default(false) });
const sms = z.object({
  enabled: z.boolean().optional(),
  enable_signup: z.boolean().default(false),
  enable_confirmations: z.boolean().default(false),
  template: z.string().default("Your code is {{ .Code }}"),
  max_frequency: duration.default(5_000),
  test_otp: z.record(z.string(), z.string()).default({}),
  twilio: smsProvider.optional(),
  twilio_verify: smsProvider.optional(),
  messagebird: smsProvider.optional(),
  textlocal: smsProvider.optional(),
  vonage: smsProvider.optional(),
});

const externalProvider = z.object({
  enabled: z.boolean().default(false),
  client_id: z.string().default(""),
  secret: z.string().default(""),
  redirect_uri: z.string().default(""),
  url: z.string().default(""),
  skip_nonce_check: z.boolean().default(false),
  email_optional: z.boolean().default(false),
});

const otherIssuer = z.object({
  enabled: z.boolean().default(false),
  project_id: z.string().optional(),
  tenant: z.string().optional(),
  tenant_region: z.string().optional(),
  user_pool_id: z.string().optional(),
  user_pool_region: z.string().optional(),
  domain: z.string().optional(),
  issuer_url: z.string().optional(),
});

const hook = z.object({
  enabled: z.boolean().default(false),
  uri: z.string().default(""),
  secrets: z.string().default(""),
});

const factor = z.object({
  enroll_enabled: z.boolean().default(false),
  verify_enabled: z.boolean().default(false),
});

const auth = z.object({
  enabled: z.boolean().default(true),
  site_url: z.string().default("http://127.0.0.1:3000"),
  additional_redirect_urls: strings.default(["https://127.0.0.1:3000"]),
  external_url: printed.optional(),
  jwt_issuer: z.string().optional(),
  jwt_expiry: z.number().int().positive().max(604_800).default(3_600),
  jwt_secret: printed.min(16).default("super-secret-jwt-token-with-at-least-32-characters-long"),
  signing_keys_path: z.string().optional(),
  publishable_key: printed.default("sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH"),
  secret_key: printed.default("sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz"),
  anon_key: printed.optional(),
  service_role_key: printed.optional(),
  enable_refresh_token_rotation: z.boolean().default(true),
  refresh_token_reuse_interval: z.number().int().nonnegative().default(10),
  enable_signup: z.boolean().default(true),
  enable_anonymous_sign_ins: z.boolean().default(false),
  enable_manual_linking: z.boolean().default(false),
  // Auth has 6 as its least, whatever is set.
  minimum_password_length: z
    .number()
    .int()
    .transform((length) => Math.max(6, length))
    .default(6),
  password_requirements: z
    .enum(["", "letters_digits", "lower_upper_letters_digits", "lower_upper_letters_digits_symbols"])
    .default(""),
  passkey: z.object({ enabled: z.boolean().default(false) }).prefault({}),
  webauthn: z
    .object({
      rp_display_name: z.string().optional(),
      rp_id: z.string().optional(),
      rp_origins: strings.default([]),
    })
    .prefault({}),
  rate_limit: z
    .object({
      email_sent: z.number().int().default(2),
      sms_sent: z.number().int().default(30),
      anonymous_users: z.number().int().default(30),
      token_refresh: z.number().int().default(150),
      sign_in_sign_ups: z.number().int().default(30),
      token_verifications: z.number().int().default(30),
      web3: z.number().int().default(30),
    })
    .prefault({}),
  captcha: z
    .object({
      enabled: z.boolean().default(false),
      provider: z.enum(["hcaptcha", "turnstile"]).default("hcaptcha"),
      secret: z.string().default(""),
    })
    .optional(),
  email: email.prefault({}),
  sms: sms.prefault({}),
  sessions: z.object({ timebox: duration.optional(), inactivity_timeout: duration.optional() }).prefault({}),
  mfa: z
    .object({
      max_enrolled_factors: z.number().int().default(10),
      totp: factor.prefault({}),
      phone: factor
        .extend({
          otp_length: z.number().int().default(6),
          template: z.string().default("Your code is {{ .Code }}"),
          max_frequency: duration.default(5_000),
        })
        .prefault({}),
      web_authn: factor.prefault({}),
      recovery_codes: factor.prefault({}),
    })
    .prefault({}),
  external: z.record(z.string(), externalProvider).default({}),
  hook: z.record(z.string(), hook).default({}),
  web3: z.record(z.string(), z.looseObject({ enabled: z.boolean().default(false) })).default({}),
  oauth_server: z
    .looseObject({
      enabled: z.boolean().default(false),
      allow_dynamic_registration: z.boolean().default(false),
      authorization_url_path: z.string().default("/oauth/consent"),
    })
    .prefault({}),
  third_party: z.record(z.string(), otherIssuer).default({}),
});

const edgeFunction = z.object({
  enabled: z.boolean().default(true),
  verify_jwt: z.boolean().default(true),
  import_map: z.string().optional(),
  entrypoint: z.string().optional(),
  static_files: strings.default([]),
  env: z.record(z.string(), z.string()).default({}),
});

/** The whole file. Sections that Homebase does not use are accepted and ignored. */
export const configSchema = z.object({
  project_id: z.string().default("homebase"),
  api: api.prefault({}),
  db: db.prefault({}),
  realtime: z
    .object({
      enabled: z.boolean().default(true),
      // The Management API's name; the Supabase CLI has no key for it. Twenty times the largest plan of hosted.
      max_events_per_second: z.int().min(1).default(10_000),
    })
    .prefault({}),
  local_smtp: z
    .object({
      enabled: z.boolean().default(true),
      port: port.default(54_324),
      smtp_port: port.optional(),
      admin_email: z.string().default("admin@email.com"),
      sender_name: z.string().default("Admin"),
    })
    .prefault({}),
  studio: z.looseObject({ enabled: z.boolean().default(true), port: port.default(54_323) }).prefault({}),
  storage: storage.prefault({}),
  auth: auth.prefault({}),
  edge_runtime: z
    .object({
      enabled: z.boolean().default(true),
      policy: z.enum(["per_worker", "oneshot"]).default("per_worker"),
      inspector_port: port.default(8_083),
      secrets: z.record(z.string(), z.string()).default({}),
    })
    .prefault({}),
  functions: z.record(z.string(), edgeFunction).default({}),
  experimental: z
    .looseObject({ webhooks: z.object({ enabled: z.boolean().default(false) }).optional() })
    .prefault({}),
});

/** The file's contents after defaults. */
export type ConfigFile = z.infer<typeof configSchema>;
export type BucketConfig = z.infer<typeof bucket>;
export type FunctionConfig = z.infer<typeof edgeFunction>;
