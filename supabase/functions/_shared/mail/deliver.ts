/** Owns: delivering pending mails in small batches, so that stopping the worker loses none. */
import { afterAnswer } from "../background.ts";
import { waitForDelivery } from "../delivery.ts";
import { dataOf, Refusal, required, serviceClient, siteUrl } from "../http.ts";
import { write } from "./compose.ts";
import type { WaitingMail } from "./letters.ts";
import { type Mail, MailNotConfigured, mailer, senderOf } from "./mail.ts";

type Send = (mail: Mail, key: string) => Promise<void>;

/** Batch size: mails that were taken and not settled become pending again after ten minutes. */
const BATCH = 5;
/** No batch starts later than this: a worker has 150 seconds on the smallest plan. */
const BEGIN_UNTIL_MS = 60_000;

/**
 * Sends pending mails after the response, so that a slow provider delays nobody. Each result is stored in
 * private.outgoing_mail; the schedule retries failures.
 * @param name the function, for the log
 * @returns a function that starts delivery
 * @throws Refusal 503 when no mail provider is configured: call this before writing anything
 */
export function delivery(name: string): () => void {
  const send = configured();
  return () => afterAnswer(name, () => deliverMail(send));
}

async function deliverMail(send: Send): Promise<void> {
  const client = serviceClient();
  const site = siteUrl();
  const functions = `${required("SUPABASE_URL")}/functions/v1`;
  const sender = senderOf((name) => Deno.env.get(name));
  const until = Date.now() + BEGIN_UNTIL_MS;
  while (Date.now() < until) {
    const waiting = dataOf(await client.rpc("take_mail", { most: BATCH })) as WaitingMail[];
    if (waiting.length === 0 && !(await waitForDelivery(client, "mail", until))) return;
    for (const mail of waiting) {
      let failure: string | null = null;
      try {
        await send(write(mail, site, functions, sender), mail.id);
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
        console.error(`mail ${mail.id} was not sent: ${failure}`);
      }
      dataOf(await client.rpc("settle_mail", { mail: mail.id, ...(failure === null ? {} : { failure }) }));
    }
  }
}

function configured(): Send {
  try {
    return mailer((name) => Deno.env.get(name));
  } catch (error) {
    if (error instanceof MailNotConfigured) throw new Refusal(503, "mail_not_configured", error.message);
    throw error;
  }
}
