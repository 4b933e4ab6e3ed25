/**
 * Owns: sending a mail through a provider: Resend's API for a hosted project (RESEND_API_KEY), or Mailpit's,
 * which the local stacks' inbox implements (MAIL_URL). MAIL_FROM is the sender.
 */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
  attachments?: Attachment[];
}

export interface Attachment {
  name: string;
  /** Media type. */
  type: string;
  text: string;
}

const TIMEOUT_MS = 10_000;

export class MailNotConfigured extends Error {
  constructor() {
    super("No mail provider: set RESEND_API_KEY, or MAIL_URL for a local inbox.");
  }
}

/** Who sends: MAIL_FROM, "Name <address>" or an address alone. */
export function senderOf(environment: (name: string) => string | undefined): {
  name: string;
  address: string;
} {
  const from = environment("MAIL_FROM") || "Nosh <table@nosh.invalid>";
  const [, name = "", address = from] = /^(.*)<(.+)>$/.exec(from) ?? [];
  return { name: name.trim(), address };
}

/** Resend's error for an idempotency key that is reused with another text: the first mail was sent. */
const SENT_BEFORE = "invalid_idempotent_request";

/**
 * The configured provider, as a function that sends a mail; `key` is an idempotency key, so that a retry
 * after a lost result does not deliver the mail twice (Resend, for 24 hours).
 * @throws MailNotConfigured
 */
export function mailer(
  environment: (name: string) => string | undefined,
): (mail: Mail, key: string) => Promise<void> {
  const sender = senderOf(environment);
  const from = sender.name ? `${sender.name} <${sender.address}>` : sender.address;
  const resendKey = environment("RESEND_API_KEY");
  const mailUrl = environment("MAIL_URL");
  if (resendKey) {
    return async (mail, key) => {
      const answer = await post(
        "https://api.resend.com/emails",
        {
          from,
          to: [mail.to],
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          headers: mail.headers,
          attachments: (mail.attachments ?? []).map(({ name, type, text }) => ({
            filename: name,
            content_type: type,
            content: base64(text),
          })),
        },
        { Authorization: `Bearer ${resendKey}`, "Idempotency-Key": `nosh/${key}` },
      );
      if (answer.status === 409 && answer.text.includes(SENT_BEFORE)) return;
      orThrow(answer);
    };
  }
  if (mailUrl) {
    return async (mail) =>
      orThrow(
        await post(`${mailUrl.replace(/\/+$/, "")}/api/v1/send`, {
          From: { Name: sender.name, Email: sender.address },
          To: [{ Email: mail.to }],
          Subject: mail.subject,
          Text: mail.text,
          HTML: mail.html,
          Headers: mail.headers,
          Attachments: (mail.attachments ?? []).map(({ name, type, text }) => ({
            Filename: name,
            ContentType: type,
            Content: base64(text),
          })),
        }),
      );
  }
  throw new MailNotConfigured();
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

interface Answer {
  ok: boolean;
  status: number;
  text: string;
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { ok: response.ok, status: response.status, text: await response.text() };
}

function orThrow({ ok, status, text }: Answer): void {
  if (!ok) throw new Error(`The mail provider answered ${status}: ${text.slice(0, 200)}`);
}
