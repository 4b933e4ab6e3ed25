/** Owns: delivering pending push messages in batches, so that stopping the worker loses none. */
import { afterAnswer } from "../background.ts";
import { waitForDelivery } from "../delivery.ts";
import { dataOf, serviceClient } from "../http.ts";
import { denoNetwork } from "../network/deno_network.ts";
import type { WaitingPush } from "./push_words.ts";
import { poster, sendPush } from "./send.ts";
import type { Vapid } from "./vapid.ts";

/** Messages sent at the same time. Those that were taken and not settled are taken again after ten minutes. */
const BATCH = 20;
/** No batch starts later than this: a worker has 150 seconds on the smallest plan. */
const BEGIN_UNTIL_MS = 60_000;

/** Sends pending messages after the response. Each result is stored; the schedule retries failures. */
export function deliverPush(name: string, vapid: Vapid): void {
  afterAnswer(name, () => deliver(vapid));
}

async function deliver(vapid: Vapid): Promise<void> {
  const client = serviceClient();
  const post = poster(denoNetwork(), Deno.env.get("PUSH_STAND_IN"));
  const until = Date.now() + BEGIN_UNTIL_MS;
  while (Date.now() < until) {
    const waiting = dataOf(await client.rpc("take_push", { most: BATCH })) as WaitingPush[];
    if (waiting.length === 0 && !(await waitForDelivery(client, "push", until))) return;
    await Promise.all(
      waiting.map(async (push) => {
        const outcome = await sendPush(push, vapid, post, Date.now());
        if (!outcome.sent) console.error(`push ${push.id} was not sent: ${outcome.failure}`);
        const said = outcome.sent ? {} : { failure: outcome.failure, gone: outcome.gone };
        dataOf(await client.rpc("settle_push", { push: push.id, ...said }));
      }),
    );
  }
}
