/** Owns the terminal's line after a refused request: how to ask why. */
import type { Log } from "../../../core/log.ts";
import type { RequestRecords } from "../../../http/records.ts";

/** A client in a loop must not fill the terminal. */
const PAUSE_MS = 1_000;
const SHORT_ID = 8;

/** Says of refusals that `homebase explain` goes into which command does it, at most once a second. */
export function tellRefusals(records: RequestRecords, log: Log): void {
  let quietUntil = 0;
  records.onRecord = ({ service, ran, status, code, method, path, id }) => {
    if ((service !== "rest" && service !== "storage") || !ran) return;
    // Storage answers its refusals with 400.
    if (status !== 401 && status !== 403 && code !== "42501" && code !== "AccessDenied") return;
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + PAUSE_MS;
    log
      .named(service)
      .warn(
        `${method} ${path} was refused: ${status}${code === undefined ? "" : ` ${code}`}, why: homebase explain --id ${id.slice(0, SHORT_ID)}`,
      );
  };
}
