/**
 * Owns telling a user by mail that something about the account has changed: off by default, by template or
 * by the send_email hook (docs/compat/auth.md 5, "Mail templates"). A notice that fails stops nothing.
 */
import type { Auth } from "../dependencies.ts";
import { hookEnabled } from "../hooks.ts";
import type { AuthRequest } from "../request.ts";
import type { Transaction } from "../transaction.ts";
import type { User } from "../users/user.ts";
import type { NoticeName } from "./default-templates.ts";
import { callMailHook } from "./messages.ts";

/** What a notice says besides the user, named as templates know it. */
export interface NoticeVariables {
  OldEmail?: string;
  OldPhone?: string;
  Phone?: string;
  Provider?: string;
  FactorType?: string;
}

/** Sends a notice to `to` where configuration has it on and there is an address. Failures are logged. */
export async function notify(
  auth: Auth,
  transaction: Transaction,
  request: AuthRequest,
  name: NoticeName,
  user: User,
  to: string,
  variables: NoticeVariables = {},
): Promise<void> {
  if (!auth.config.email.notification[name]?.enabled || to === "") return;
  // The change must be written before the notice tells of it.
  await transaction.settle();
  if (!hookEnabled(auth, "send_email")) {
    const all: Record<string, unknown> = { ...variables };
    // The mailer has logged the cause.
    await auth.mailer.send(name, to, user, all, "Error sending notification email").catch(() => undefined);
    return;
  }
  // A hook in Postgres that raises would otherwise take the whole change down with it.
  transaction.enqueue("savepoint notice");
  try {
    await callMailHook({ auth, transaction, request, pkce: false }, user, `${name}_notification`, {
      old_email: variables.OldEmail ?? "",
      old_phone: variables.OldPhone ?? "",
      provider: variables.Provider ?? "",
      factor_type: variables.FactorType ?? "",
    });
  } catch (error) {
    transaction.enqueue("rollback to savepoint notice");
    auth.context.log.error(`The notice ${name} could not be sent.`, { error: String(error) });
  }
}
