/**
 * Owns the control socket between a running stack and other commands: HTTP over a Unix socket that only this
 * user can open.
 */
import { rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import { CommandError } from "./terminal.ts";

/** They change nothing that asking again would change twice. */
const ASKED_AGAIN = new Set(["status", "stop"]);
const DROPPED = new Set<unknown>(["ECONNRESET", "EPIPE"]);
const MOST_TRIES = 100;
const AGAIN_MS = 50;

/** A command of the control socket; its result is sent as JSON. */
export type ControlCommands = Record<string, (argument: unknown) => Promise<unknown>>;

/** Listens for commands. A thrown error is sent as `{error}` with status 500. */
export async function serveControl(path: string, commands: ControlCommands): Promise<Server> {
  rmSync(path, { force: true });
  const server = createServer(async (incoming, outgoing) => {
    const command = commands[incoming.url?.slice(1) ?? ""];
    const answer = (status: number, body: unknown) => {
      outgoing.writeHead(status, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(body ?? null));
    };
    if (!command) return answer(404, { error: "no such command" });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      answer(200, await command(JSON.parse(Buffer.concat(chunks).toString() || "null")));
    } catch (error) {
      answer(500, { error: error instanceof Error ? error.message : String(error) });
    }
  });
  // The socket is closed to others from its first moment.
  const before = process.umask(0o177);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
    process.umask(before);
  });
  return server;
}

/**
 * Sends a command to a running stack. @param argument the command's input, as JSON. @returns undefined when
 * no process listens. @throws CommandError with the stack's own message when it fails.
 */
export function control<T>(
  path: string,
  command: string,
  argument: unknown = null,
  tries = MOST_TRIES,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, path: `/${command}`, method: "POST" }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part: string) => {
        text += part;
      });
      incoming.on("end", () => {
        let body: T & { error?: string };
        try {
          body = JSON.parse(text || "null");
        } catch {
          return reject(new CommandError(`The program listening on ${path} is not a stack of Homebase.`));
        }
        if (incoming.statusCode === 200) resolve(body);
        else reject(new CommandError(body?.error ?? "The stack gave no reason."));
      });
      incoming.on("error", () =>
        reject(
          new CommandError(`The stack exited before it responded. Whether "${command}" was done is unknown.`),
        ),
      );
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(undefined);
      // A stack that ends drops who asks before it stops to listen.
      else if (DROPPED.has(error.code) && ASKED_AGAIN.has(command) && tries > 1)
        setTimeout(() => control<T>(path, command, argument, tries - 1).then(resolve, reject), AGAIN_MS);
      else reject(new CommandError(`The stack on ${path} cannot be reached: ${error.message}`));
    });
    outgoing.end(JSON.stringify(argument));
  });
}
