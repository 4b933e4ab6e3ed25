/**
 * plan-reminders: POST delivers pending mails (reminders, and invitations whose first attempt failed).
 * Responds 202 `{"accepted": true}` before sending the first, because the schedule that calls it waits for
 * only five seconds. Each mail's result is stored in private.outgoing_mail. Only the schedule may call it,
 * with the vault's secret in `x-reminders-secret`, because a delivery costs time and mail.
 */
import { requireSchedule, serve } from "../_shared/http.ts";
import { delivery } from "../_shared/mail/deliver.ts";

serve(
  { name: "plan-reminders", methods: ["POST"], errorMessage: "The mails could not be sent." },
  async (request) => {
    await requireSchedule(request);
    delivery("plan-reminders")();
    return Response.json({ accepted: true }, { status: 202 });
  },
);
