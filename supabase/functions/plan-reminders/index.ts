/**
 * plan-reminders: POST delivers the mails that wait (reminders, and invitations whose first try failed) and
 * answers `{"sent", "failed"}`. The schedule in the database writes down what is due and calls this.
 *
 * Anybody may call it: it takes nothing from the caller, and calling it twice sends nothing twice.
 */
import { deliverMail } from "../_shared/deliver.ts";
import { serve } from "../_shared/http.ts";

serve({ name: "plan-reminders", methods: ["POST"], apology: "The mails could not be sent." }, async () => {
  const delivered = await deliverMail();
  const sent = delivered.filter((mail) => mail.sent).length;
  return Response.json({ sent, failed: delivered.length - sent });
});
