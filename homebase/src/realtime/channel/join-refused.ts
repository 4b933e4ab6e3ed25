/** Owns the reasons that a refused join is answered with (docs/compat/realtime.md 4). */
import type { Log } from "../../core/log.ts";
import { SubscriptionFault } from "../changes/subscription-filter.ts";
import { AuthorizationFailed } from "../kit/authorization.ts";
import { TokenRefused } from "../kit/socket-token.ts";
import { ChangesTimeout } from "./channel-changes.ts";
import { ReplayRefused } from "./replay.ts";

/** A rejected join; the message is the reply's reason. */
export class JoinRefused extends Error {}

export function denied(name: string): string {
  return `You do not have permissions to read from this Channel topic: ${name}`;
}

export function joinReason(error: unknown, topic: string, log: Log): string {
  if (error instanceof TokenRefused) return error.joinReason;
  if (error instanceof JoinRefused || error instanceof ReplayRefused) return error.message;
  if (error instanceof SubscriptionFault) return `RealtimeDisabledForConfiguration: ${error.message}`;
  if (error instanceof ChangesTimeout) return `PostgresChangesSubscribeTimeout: ${error.message}`;
  if (error instanceof AuthorizationFailed && error.fault === "partition")
    return "MissingPartition: Realtime was unable to find the expected messages partition";
  log.error("A join failed.", { topic, error: String(error) });
  return "UnableToConnectToProject: Realtime was unable to connect to the project database";
}
