/**
 * Owns notification mails about account changes: off by default, sent by template or by the send_email hook
 * (docs/compat/auth.md 5, "Mail templates"). A failed notification does not fail the request.
 */

import type { Call } from "../kit/as-auth-admin.ts";
import { hookEnabled } from "../kit/hooks.ts";
import type { User } from "../users/user.ts";
import type { NoticeName } from "./default-templates.ts";
import { mailer } from "./mailer.ts";
import { callMailHook } from "./messages.ts";

/** Variables of a notification besides the user, by their names in templates. */
export interface NoticeVariables {
  OldEmail?: string;
  OldPhone?: string;
  Phone?: string;
  Provider?: string;
  FactorType?: string;
}

/** Sends a notification to `to` if it is enabled and the address is not empty. Failures are logged. */
export async function notify(
  call: Call,
  name: NoticeName,
  user: User,
  to: string,
  variables: NoticeVariables = {},
): Promise<void> {
  const { auth } = call;
  if (!auth.config.email.notification[name]?.enabled || to === "") return;
  // The change must be written before the notification mentions it.
  await call.flush();
  if (!hookEnabled(auth, "send_email")) {
    const all: Record<string, unknown> = { ...variables };
    // The mailer has already logged the cause.
    await mailer(auth)
      .send(name, to, user, all, "Error sending notification email", call.request.id)
      .catch(() => undefined);
    return;
  }
  // Without a savepoint, a Postgres hook that raises would roll back the change as well.
  call.enqueue("savepoint notice");
  try {
    await callMailHook(call, user, `${name}_notification`, {
      old_email: variables.OldEmail ?? "",
      old_phone: variables.OldPhone ?? "",
      provider: variables.Provider ?? "",
      factor_type: variables.FactorType ?? "",
    });
  } catch (error) {
    call.enqueue("rollback to savepoint notice");
    auth.context.log.error(`The notice ${name} could not be sent.`, { error: String(error) });
  }
}
