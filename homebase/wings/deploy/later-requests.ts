/**
 * Owns what a rehearsal says of requests that hosted's versions do not know: from the requests of the running stack of the
 * project, because only those that were made are known.
 */
import { control } from "../../src/cli/kit/control.ts";
import { controlSocketPath } from "../../src/cli/kit/state.ts";
import type { Config } from "../../src/config/config.ts";
import { HOSTED_VERSIONS } from "../../src/config/hosted/hosted-versions.ts";
import type { RecordList } from "../../src/http/records.ts";

const { service, hosted } = HOSTED_VERSIONS.rest;
const VERSION = `hosted's ${service} ${hosted.version} (${hosted.at})`;
const OTHERS = "Other services are not compared: see the table of versions in docs/hosted.md.";

/** For a terminal. */
export async function laterRequests(config: Config): Promise<string> {
  const answer = await control<RecordList>(controlSocketPath(config), "requests", { service: "rest" });
  if (!answer)
    return `Requests are not compared with ${VERSION}: no stack of this project is running, and those that it answered are known from it only. Start it with --strict, use the app or run its tests, and rehearse again.`;
  const { records } = answer;
  const lines = new Map<string, number>();
  for (const { method, path, later = [] } of records)
    for (const sentence of later) {
      const line = `! ${method} ${path}: ${sentence}`;
      lines.set(line, (lines.get(line) ?? 0) + 1);
    }
  const compared = `The last ${records.length} requests to REST of the running stack are compared with ${VERSION}.`;
  if (lines.size === 0) return `${compared} None uses what it does not have. ${OTHERS}`;
  const counted = [...lines].map(([line, times]) => (times > 1 ? `${line} (${times} times)` : line));
  return [`${compared} ${OTHERS}`, ...counted].join("\n");
}
