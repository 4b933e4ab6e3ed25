/**
 * Owns: handing a mail to whoever delivers it. Two providers: Resend's API for a hosted project
 * (RESEND_API_KEY), and Mailpit's, which the local stacks' inbox speaks (MAIL_URL). MAIL_FROM is the sender.
 */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  headers: Record<string, string>;
}

const TIMEOUT_MS = 10_000;

export class MailNotConfigured extends Error {
  constructor() {
    super("No mail provider: set RESEND_API_KEY, or MAIL_URL for a local inbox.");
  }
}

/** Which provider there is. @throws MailNotConfigured */
export function mailer(environment: (name: string) => string | undefined): (mail: Mail) => Promise<void> {
  const from = environment("MAIL_FROM") || "Nosh <table@nosh.invalid>";
  const resendKey = environment("RESEND_API_KEY");
  const mailUrl = environment("MAIL_URL");
  if (resendKey) {
    return (mail) =>
      post(
        "https://api.resend.com/emails",
        {
          from,
          to: [mail.to],
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          headers: mail.headers,
        },
        { Authorization: `Bearer ${resendKey}` },
      );
  }
  if (mailUrl) {
    const [, name = "", address = from] = /^(.*)<(.+)>$/.exec(from) ?? [];
    return (mail) =>
      post(`${mailUrl.replace(/\/+$/, "")}/api/v1/send`, {
        From: { Name: name.trim(), Email: address },
        To: [{ Email: mail.to }],
        Subject: mail.subject,
        Text: mail.text,
        HTML: mail.html,
        Headers: mail.headers,
      });
  }
  throw new MailNotConfigured();
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The mail provider answered ${response.status}: ${answer.slice(0, 200)}`);
}
