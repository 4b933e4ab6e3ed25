/**
 * send-invites: POST {"plan_id": uuid, "addresses": [mail address, ...]} invites people to a plan by mail,
 * each with a personal single-use link. Responds `{"invites": [{"address", "outcome"}]}` at once, outcome one
 * of `waiting` (it is sent now, and retried automatically) and `not_sent` (the address has opted out). The
 * database decides under the caller's own token who may invite, and how many.
 */

import { clientOf, dataOf, Refusal, readObject, serve } from "../_shared/http.ts";
import { delivery } from "../_shared/mail/deliver.ts";
import { isUuid } from "../_shared/uuid.ts";

serve(
  { name: "send-invites", methods: ["POST"], errorMessage: "The invitations could not be sent." },
  async (request) => {
    const { plan_id: plan, addresses } = await readObject(request);
    if (!isUuid(plan) || !Array.isArray(addresses) || addresses.some((each) => typeof each !== "string")) {
      throw new Refusal(
        400,
        "invalid_request",
        'Send {"plan_id": "<uuid>", "addresses": ["<mail address>"]}.',
      );
    }
    const deliver = delivery("send-invites");
    const invited = dataOf(await clientOf(request).rpc("invite_by_mail", { plan, addresses })) as {
      address: string;
      outcome: "queued" | "not_sent";
    }[];
    deliver();
    return Response.json({
      invites: invited.map(({ address, outcome }) => ({
        address,
        outcome: outcome === "queued" ? "waiting" : outcome,
      })),
    });
  },
);
