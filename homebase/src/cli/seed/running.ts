/** Owns the addresses and keys of the running stack, for commands that speak to it as an app does. */
import { control } from "../control.ts";
import { configFor } from "../options.ts";
import { controlSocketPath } from "../state.ts";
import { CommandError } from "../terminal.ts";

/** The figures that `homebase status` prints. @throws CommandError when nothing runs. */
export async function runningVariables(values: {
  workdir?: string | undefined;
  "port-offset"?: string | undefined;
}): Promise<Record<string, string>> {
  const socket = controlSocketPath(configFor(values));
  const status = await control<{ variables: Record<string, string> }>(socket, "status");
  if (!status)
    throw new CommandError("The stack of this project is not running. Start it with: homebase start");
  return status.variables;
}
