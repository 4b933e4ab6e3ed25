/** Owns the default mail templates, for projects without their own. */

export interface MailTemplate {
  subject: string;
  html: string;
}

const FRAME_STYLE =
  "margin:0 auto;max-width:480px;padding:32px 24px;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:16px;line-height:1.5;color:#1c1917";
const BUTTON_STYLE =
  "display:inline-block;padding:12px 20px;border-radius:8px;background:#1c1917;color:#ffffff;text-decoration:none;font-weight:600";
const CODE_STYLE =
  "font-family:ui-monospace,Menlo,monospace;font-size:24px;letter-spacing:4px;font-weight:600";

/** A mail with a button and the code next to it. */
function withLink(title: string, text: string, button: string): string {
  return `<div style="${FRAME_STYLE}">
  <h2 style="margin:0 0 12px;font-size:22px">${title}</h2>
  <p style="margin:0 0 24px">${text}</p>
  <p style="margin:0 0 24px"><a href="{{ .ConfirmationURL }}" style="${BUTTON_STYLE}">${button}</a></p>
  <p style="margin:0 0 4px">Or enter this code:</p>
  <p style="margin:0 0 24px;${CODE_STYLE}">{{ .Token }}</p>
  <p style="margin:0;font-size:14px;color:#57534e">If you did not ask for this, you can ignore this mail.</p>
</div>`;
}

function notice(title: string, text: string): string {
  return `<div style="${FRAME_STYLE}">
  <h2 style="margin:0 0 12px;font-size:22px">${title}</h2>
  <p style="margin:0 0 12px">${text}</p>
  <p style="margin:0;font-size:14px;color:#57534e">If this was not you, please get in touch with us.</p>
</div>`;
}

/** Templates by their name in config.toml. Subjects are upstream's. */
export const defaultTemplates = {
  confirmation: {
    subject: "Confirm your email address",
    html: withLink(
      "Confirm your email address",
      "One step is left until you can begin.",
      "Confirm email address",
    ),
  },
  invite: {
    subject: "You've been invited",
    html: withLink(
      "You've been invited",
      "You have been invited to join {{ .SiteURL }}.",
      "Accept the invitation",
    ),
  },
  recovery: {
    subject: "Reset your password",
    html: withLink("Reset your password", "Choose a new password for {{ .Email }}.", "Reset password"),
  },
  magic_link: {
    subject: "Your sign-in link",
    html: withLink("Sign in", "Follow the link to sign in as {{ .Email }}.", "Sign in"),
  },
  email_change: {
    subject: "Confirm your new email address",
    html: withLink(
      "Confirm your new email address",
      "Your address is to change from {{ .Email }} to {{ .NewEmail }}.",
      "Confirm the change",
    ),
  },
  reauthentication: {
    subject: "{{ .Token }} is your verification code",
    html: `<div style="${FRAME_STYLE}">
  <h2 style="margin:0 0 12px;font-size:22px">Confirm that it is you</h2>
  <p style="margin:0 0 4px">Enter this code:</p>
  <p style="margin:0;${CODE_STYLE}">{{ .Token }}</p>
</div>`,
  },
  password_changed: {
    subject: "Your password has been changed",
    html: notice("Your password has been changed", "The password of {{ .Email }} was changed a moment ago."),
  },
  email_changed: {
    subject: "Your email address has been changed",
    html: notice("Your email address has been changed", "It was {{ .OldEmail }} and is {{ .Email }} now."),
  },
  phone_changed: {
    subject: "Your phone number has been changed",
    html: notice("Your phone number has been changed", "It was {{ .OldPhone }} and is {{ .Phone }} now."),
  },
  identity_linked: {
    subject: "A new identity has been linked",
    html: notice("A new way to sign in", "{{ .Provider }} was added to the account of {{ .Email }}."),
  },
  identity_unlinked: {
    subject: "An identity has been unlinked",
    html: notice(
      "A way to sign in was removed",
      "{{ .Provider }} was removed from the account of {{ .Email }}.",
    ),
  },
  mfa_factor_enrolled: {
    subject: "A new MFA factor has been enrolled",
    html: notice("A second factor was added", "{{ .FactorType }} was added to the account of {{ .Email }}."),
  },
  mfa_factor_unenrolled: {
    subject: "An MFA factor has been unenrolled",
    html: notice(
      "A second factor was removed",
      "{{ .FactorType }} was removed from the account of {{ .Email }}.",
    ),
  },
} satisfies Record<string, MailTemplate>;

export type MailName = keyof typeof defaultTemplates;
export type NoticeName = Extract<
  MailName,
  | "password_changed"
  | "email_changed"
  | "phone_changed"
  | "identity_linked"
  | "identity_unlinked"
  | "mfa_factor_enrolled"
  | "mfa_factor_unenrolled"
>;
