/**
 * Owns listening in the integration tests: channels that resolve once they are live, and their received
 * messages.
 */
import { dataOf, type NoshClient } from "./people.ts";

/** A row change in the client's format. */
export interface RowChange {
  eventType: string;
  table: string;
  new: Record<string, unknown>;
  old: Record<string, unknown>;
}

/** How long a test listens before it concludes that nothing came. */
const SILENCE_MS = 400;

/** Row changes of a table of `public` that this client receives, in order. */
export async function listenToRows(client: NoshClient, table: string): Promise<RowChange[]> {
  const heard: RowChange[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  client
    .channel(`rows of ${table} ${crypto.randomUUID()}`)
    .on("postgres_changes", { event: "*", schema: "public", table }, (change) =>
      heard.push(change as unknown as RowChange),
    )
    // The server sends a system message when the subscription is active.
    .on("system", {}, (message: { status: string; message: string }) =>
      message.status === "ok" ? resolve() : reject(new Error(message.message)),
    )
    .subscribe((status, error) => {
      if (status === "CHANNEL_ERROR" || status === "TIMED_OUT") reject(error ?? new Error(status));
    });
  await promise;
  return heard;
}

/** The topic on which the database reports a plan's changes, as a member reads it. */
export async function planTopic(client: NoshClient, plan: string): Promise<string> {
  const { epoch } = dataOf(await client.from("plan_channels").select("epoch").eq("plan_id", plan).single());
  return `plan:${plan}:${epoch}`;
}

/**
 * Joins a private channel.
 * @returns the result, and the broadcasts received so far
 */
export async function joinPrivate(
  client: NoshClient,
  topic: string,
): Promise<{ status: string; heard: { event: string; payload: unknown }[]; leave: () => Promise<unknown> }> {
  const heard: { event: string; payload: unknown }[] = [];
  const channel = client.channel(topic, { config: { private: true } });
  const status = await new Promise<string>((resolve) => {
    channel
      .on("broadcast", { event: "*" }, (message) =>
        heard.push({ event: message.event, payload: message.payload }),
      )
      .subscribe((state) => resolve(state));
  });
  return { status, heard, leave: () => client.removeChannel(channel) };
}

/** Waits until the list has `count` entries. @throws after two seconds */
export async function until(list: readonly unknown[], count: number): Promise<void> {
  const deadline = Date.now() + 2_000;
  while (list.length < count) {
    if (Date.now() > deadline) throw new Error(`Heard ${list.length} of ${count}: ${JSON.stringify(list)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits as long as a change would need to arrive. */
export function silence(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
}
