/** Owns `homebase stop`. */
import { control } from "./control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "./options.ts";
import { controlSocketPath } from "./state.ts";

const PATIENCE_MS = 20_000;

export const stop: Command = {
  summary: "stop the running stack; data stays",
  help: `Usage: homebase stop [options]

Stops the stack of this project, wherever it was started. Data stays in .homebase/.

Options:
${sharedHelp}`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const socket = controlSocketPath(configFor(values).projectFolder);
    const running = await control<{ pid: number }>(socket, "status");
    if (running) {
      await control(socket, "stop");
      const deadline = Date.now() + PATIENCE_MS;
      while (Date.now() < deadline && (await control(socket, "status").catch(() => undefined))) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    const text = running ? "Stopped." : "Nothing was running.";
    process.stdout.write(values.json ? `${JSON.stringify({ stopped: Boolean(running) })}\n` : `${text}\n`);
  },
};
