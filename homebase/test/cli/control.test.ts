/** What a command does with a stack that ends while it is asked. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { control } from "../../src/cli/kit/control.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-control-"));
const path = join(folder, "socket");
let server: Server | undefined;
afterEach(() => {
  server?.close();
  rmSync(path, { force: true });
});

/** Drops whoever asks, and stops to listen after `asked` of them. */
async function ending(asked: number): Promise<void> {
  let left = asked;
  server = createServer((socket) => {
    left -= 1;
    if (left === 0) server?.close();
    socket.destroy();
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
}

test.each(["status", "stop"])(
  "%s is asked again until the stack is gone, which is no error",
  async (command) => {
    await ending(3);
    await expect(control(path, command)).resolves.toBeUndefined();
  },
);

test("what would change something is not asked again", async () => {
  await ending(3);
  await expect(control(path, "reset")).rejects.toThrow(/cannot be reached: (socket hang up|write EPIPE)/);
});
