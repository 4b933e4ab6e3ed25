/** A Backend's first channel, whose join also starts reading the log. */
import { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { ownStack } from "./own-stack.ts";

/** Joins a public channel and resolves to its received messages. */
async function join(url: string, key: string, topic: string) {
  const client = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
  const heard: unknown[] = [];
  const channel = client
    .channel(topic)
    .on("broadcast", { event: "*" }, (message) => heard.push(message.event));
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) =>
      status === "SUBSCRIBED" ? resolve() : reject(error ?? new Error(status)),
    );
  });
  return { client, heard };
}

test("what the database sends right after the very first join arrives", async () => {
  // Run alone: another session's open transaction prevents reading the log, as the next test shows.
  await using own = await ownStack();
  const { client, heard } = await join(own.address.url, own.address.publishableKey, "kitchen");
  await own.sql(`select realtime.send('{}', 'bell', 'kitchen', false)`);
  await expect.poll(() => heard).toEqual(["bell"]);
  await client.removeAllChannels();
});

test("a transaction that stays open does not keep the first channel from joining", async () => {
  await using backend = await createBackend({ bare: true });
  const open = await backend.database.pool("postgres").connect();
  await open.query("begin");
  await open.query("create table public.unfinished (id int)");
  // It is joined although the transaction is still open.
  const { client, heard } = await join(backend.url, backend.publishableKey, "kitchen");
  await open.query("rollback");
  open.release();
  // After the transaction the log is read.
  await expect
    .poll(
      async () => {
        await backend.sql(`select realtime.send('{}', 'bell', 'kitchen', false)`);
        return heard.length;
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  await client.removeAllChannels();
});
