/** Owns the check before a start that its ports are free, and the wait for those that soon are. */
import type { Config } from "../config/config.ts";
import type { Notice } from "./notices.ts";
import { neededPorts } from "./port-choice.ts";
import { waitForPort } from "./port-wait.ts";
import { PortInUse, portFree } from "./ports.ts";
import type { StackWing } from "./stack-wing.ts";

interface PortWait {
  config: Config;
  onNotice?: ((notice: Notice) => void) | undefined;
  onWait?: ((text: string) => void) | undefined;
}

/** Ports that only wait for the end of a closed connection are neither refused nor replaced. */
export async function waitForPorts(
  { config, onNotice, onWait = () => {} }: PortWait,
  wings: readonly StackWing[],
): Promise<void> {
  for (const [port, purpose] of neededPorts(config, wings)) {
    let told = false;
    await waitForPort(port, (seconds) => {
      if (!told) onNotice?.({ kind: "port-wait", port, purpose, seconds });
      told = true;
      onWait(`Waiting for port ${port} (${purpose}): ${seconds} s`);
    });
  }
}

/** @throws PortInUse */
export async function requirePorts(config: Config, wings: readonly StackWing[]): Promise<void> {
  for (const [port, purpose] of neededPorts(config, wings))
    if (!(await portFree(port))) throw new PortInUse(port, purpose);
}
