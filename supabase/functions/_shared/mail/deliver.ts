/** Owns: delivering the mails that wait. Taken, sent and settled one by one, so that a stop loses none. */
import { dataOf, Refusal, required, serviceClient, siteUrl } from "../http.ts";
import { MailNotConfigured, mailer } from "./mail.ts";
import { type WaitingMail, write } from "./mail_words.ts";

export interface Delivery {
  address: string;
  plan_id: string;
  sent: boolean;
}

/** Mails in one call: what fits into a function's time even when the provider is slow. */
const MOST = 40;

/** Sends what waits, oldest first. @throws Refusal 503 when no mail provider is configured; the mails wait on. */
export async function deliverMail(): Promise<Delivery[]> {
  const send = configured();
  const client = serviceClient();
  const site = siteUrl();
  const functions = `${required("SUPABASE_URL")}/functions/v1`;
  const waiting = dataOf(await client.rpc("take_mail", { most: MOST })) as WaitingMail[];
  const delivered: Delivery[] = [];
  for (const mail of waiting) {
    let failure: string | null = null;
    try {
      await send(write(mail, site, functions), mail.id);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      console.error(`mail ${mail.id} was not sent: ${failure}`);
    }
    dataOf(await client.rpc("settle_mail", { mail: mail.id, ...(failure === null ? {} : { failure }) }));
    delivered.push({ address: mail.address, plan_id: mail.plan_id, sent: failure === null });
  }
  return delivered;
}

function configured() {
  try {
    return mailer((name) => Deno.env.get(name));
  } catch (error) {
    if (error instanceof MailNotConfigured) throw new Refusal(503, "mail_not_configured", error.message);
    throw error;
  }
}
