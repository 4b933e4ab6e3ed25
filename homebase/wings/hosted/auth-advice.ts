/** Owns what hosted's security advisors say of Auth's settings, which no query of the database finds. */
import type { HostedFinding } from "../../src/tools/checks/advisors.ts";

const HOUR_S = 3600;
const DOCS = "https://supabase.com/docs/guides";

/** @param auth settings in the Management API's names. */
export function authAdvice(auth: Readonly<Record<string, unknown>>): HostedFinding[] {
  const found: HostedFinding[] = [];
  const say = (name: string, title: string, page: string, description: string, detail: string) => {
    found.push({
      name,
      title,
      level: "WARN",
      facing: "EXTERNAL",
      categories: ["SECURITY"],
      description,
      detail,
      remediation: `${DOCS}/${page}`,
      metadata: { type: "auth", entity: "Auth" },
      cache_key: name,
    });
  };
  if (auth.external_email_enabled && Number(auth.mailer_otp_exp) > HOUR_S)
    say(
      "auth_otp_long_expiry",
      "Auth OTP long expiry",
      "platform/going-into-prod#security",
      "Mailed codes are valid for more than an hour.",
      `Mailed codes and links are valid for ${auth.mailer_otp_exp} s. Let them expire within an hour (mailer_otp_exp).`,
    );
  if (!auth.password_hibp_enabled)
    say(
      "auth_leaked_password_protection",
      "Leaked Password Protection Disabled",
      "auth/password-security#password-strength-and-leaked-password-protection",
      "Passwords that are known to have leaked are accepted.",
      "New passwords are not looked up at haveibeenpwned.org (password_hibp_enabled).",
    );
  return found;
}
