/**
 * unsubscribe: the URL in the List-Unsubscribe header of Nosh's mails (RFC 8058). POST ?token=<uuid>, as mail
 * programs send it on one click, stops all mails to that address. GET redirects to the settings page and
 * changes nothing, because mail scanners follow links.
 */
import { anonymousClient, dataOf, Refusal, serve, siteUrl } from "../_shared/http.ts";
import { isUuid } from "../_shared/uuid.ts";

serve(
  { name: "unsubscribe", methods: ["GET", "POST"], errorMessage: "That could not be changed." },
  async (request) => {
    const token = new URL(request.url).searchParams.get("token");
    if (!isUuid(token)) throw new Refusal(400, "invalid_request", "The address lacks its token.");
    if (request.method === "GET") {
      return new Response(null, { status: 303, headers: { Location: `${siteUrl()}/mail/${token}` } });
    }
    dataOf(await anonymousClient().rpc("choose_mail", { token, invites: false, reminders: false }));
    return new Response("No more mails will come to this address.\n", {
      headers: { "Content-Type": "text/plain; charset=utf-8" },
    });
  },
);
