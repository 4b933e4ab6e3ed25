/**
 * Owns sending mails through an SMTP server, if `[auth.email.smtp]` configures one (docs/compat/auth.md 5).
 */
import type { Config } from "../../config/config.ts";
import type { OutgoingMail, SendMail } from "../../service-context.ts";

const DEFAULT_PORT = 587;
/** The port with implicit TLS; other ports use STARTTLS when the server offers it. */
const TLS_PORT = 465;
const TIMEOUT_MS = 10_000;

/**
 * Delivery through the configured server; undefined when none is configured. The library is loaded with the
 * first mail.
 */
export function smtpDelivery(config: Config["auth"]["email"]): SendMail | undefined {
  const { smtp } = config;
  if (!smtp?.enabled || !smtp.host) return undefined;
  const { host, port = DEFAULT_PORT, user, pass = "" } = smtp;
  return async (mail: OutgoingMail) => {
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host,
      port,
      secure: port === TLS_PORT,
      ...(user ? { auth: { user, pass } } : {}),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    });
    try {
      await transport.sendMail({
        from: mail.from,
        to: mail.to,
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        headers: mail.headers,
      });
      return undefined;
    } finally {
      transport.close();
    }
  };
}
