/** The exports of `homebase-stack/hosted`: a stand-in for a hosted project, with all wings. */
import { wings } from "../index.ts";
import { type Hosted, type StartOptions, startHosted as start } from "./start.ts";

export type { Failure, ManagementApi, ReceivedCall } from "./management.ts";
export type { HostedProject } from "./stand-in.ts";
export type { Hosted };

/** Starts a new project; `close` removes everything. */
export function startHosted(options: Omit<StartOptions, "wings"> = {}): Promise<Hosted> {
  return start({ ...options, wings });
}
