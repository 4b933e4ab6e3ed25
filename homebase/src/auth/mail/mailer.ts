/** Owns rendering a mail from the project's template or the default one, and passing it to the Backend. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { SendMail, ServiceContext } from "../../service-context.ts";
import { perAuth } from "../kit/auth.ts";
import { unexpected } from "../kit/errors.ts";
import type { Settings } from "../kit/settings.ts";
import type { User } from "../users/user.ts";
import { defaultTemplates, type MailName } from "./default-templates.ts";
import { parseTemplate } from "./go-template.ts";
import { smtpDelivery } from "./smtp.ts";

/** The types that links in mail can have. */
export type LinkType = "signup" | "invite" | "magiclink" | "recovery" | "email_change";

/** Renders mails and passes them to the Backend. */
export class Mailer {
  readonly #context: ServiceContext;
  readonly #settings: Settings;
  readonly #deliver: SendMail;

  constructor(context: ServiceContext, settings: Settings) {
    this.#context = context;
    this.#settings = settings;
    this.#deliver = smtpDelivery(context.config.auth.email) ?? context.sendMail;
  }

  /** The confirmation link. `redirect_to` is percent-encoded only where necessary. */
  link(type: LinkType, hash: string, redirectTo: string): string {
    const target = /[&=#]/.test(redirectTo) ? encodeURIComponent(redirectTo) : redirectTo;
    return `${this.#settings.externalUrl}/verify?token=${hash}&type=${type}&redirect_to=${target}`;
  }

  /** Renders and sends a mail. @param request the id of the request that it belongs to. @throws AuthError 500 with `failure` when it cannot be sent. */
  async send(
    name: MailName,
    to: string,
    user: User,
    variables: Record<string, unknown>,
    failure: string,
    request: string,
  ): Promise<void> {
    const { local_smtp: local, auth } = this.#context.config;
    const smtp = auth.email.smtp;
    const all = {
      SiteURL: auth.site_url,
      Email: user.row.email ?? "",
      Data: user.row.raw_user_meta_data,
      ...variables,
    };
    let subject = "";
    try {
      const written = await this.#write(name, all);
      subject = written.subject;
      const mail = await this.#deliver({
        from: {
          name: smtp?.sender_name ?? local.sender_name,
          address: smtp?.admin_email ?? local.admin_email,
        },
        to: [{ name: "", address: to }],
        ...written,
      });
      this.#context.happened({ kind: "mail", to, subject, request, mail });
    } catch (error) {
      this.#context.happened({ kind: "mail", to, subject, request, failure: String(error) });
      this.#context.log.error(`A mail to ${to} could not be sent.`, { name, error: String(error) });
      throw unexpected(failure);
    }
  }

  async #write(
    name: MailName,
    variables: Record<string, unknown>,
  ): Promise<{ subject: string; html: string }> {
    const standard = defaultTemplates[name];
    const { template, notification } = this.#context.config.auth.email;
    const own = template[name] ?? notification[name];
    const subject = this.#fill(name, own?.subject, standard.subject, "none", variables);
    // Template paths are relative to the project, notification paths to supabase/.
    const base = template[name] ? this.#context.config.projectFolder : this.#context.config.supabaseFolder;
    const source = own?.content_path ? await this.#read(name, resolve(base, own.content_path)) : undefined;
    return { subject, html: this.#fill(name, source, standard.html, "html", variables) };
  }

  /** A broken template falls back to the default one. */
  #fill(
    name: MailName,
    own: string | undefined,
    standard: string,
    escaping: "html" | "none",
    variables: Record<string, unknown>,
  ): string {
    if (own !== undefined) {
      try {
        return parseTemplate(own, escaping)(variables);
      } catch (error) {
        this.#context.log.warn(`The mail template "${name}" cannot be used; the standard one is.`, {
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
    return parseTemplate(standard, escaping)(variables);
  }

  async #read(name: MailName, file: string): Promise<string | undefined> {
    try {
      return await readFile(file, "utf8");
    } catch (error) {
      this.#context.log.warn(`The mail template "${name}" cannot be read; the standard one is used.`, {
        error: error instanceof Error ? error.message : String(error),
      });
      return undefined;
    }
  }
}

export const mailer = perAuth((auth) => new Mailer(auth.context, auth.settings));
