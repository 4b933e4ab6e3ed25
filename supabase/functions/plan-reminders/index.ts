/**
 * plan-reminders: POST delivers the mails that wait (reminders, and invitations whose first try failed). Answers 202
 * `{"accepted": true}` before the first is sent: the schedule, which calls this, waits for five seconds only. What became
 * of each mail is in private.outgoing_mail.
 *
 * Only the schedule calls it, with the secret of the vault in `x-reminders-secret`: a delivery costs time and mail.
 */
import { dataOf, Refusal, serve, serviceClient } from "../_shared/http.ts";
import { delivery } from "../_shared/mail/deliver.ts";

serve(
  { name: "plan-reminders", methods: ["POST"], apology: "The mails could not be sent." },
  async (request) => {
    const given = request.headers.get("x-reminders-secret");
    if (!given) throw new Refusal(401, "secret_needed", "Send the schedule's secret in x-reminders-secret.");
    if (!dataOf(await serviceClient().rpc("is_reminders_secret", { given }))) {
      throw new Refusal(403, "wrong_secret", "That is not the schedule's secret.");
    }
    delivery("plan-reminders")();
    return Response.json({ accepted: true }, { status: 202 });
  },
);
