/**
 * Owns what a rehearsal says of requests that hosted's versions do not know: from the requests of the running stack of the
 * project, because only those that were made are known.
 */
import { control } from "../../src/cli/kit/control.ts";
import { controlSocketPath } from "../../src/cli/kit/state.ts";
import type { Config } from "../../src/config/config.ts";
import { HOSTED_VERSIONS } from "../../src/config/hosted/hosted-versions.ts";
import type { RecordList } from "../../src/http/records.ts";

const { rest, auth, storage } = HOSTED_VERSIONS;
const VERSIONS = [rest, auth]
  .map(({ service, hosted }) => `${service} ${hosted.version} (${hosted.at})`)
  .join(" and ");
const OTHERS = `Requests to Storage, Realtime and functions are not compared: which versions hosted runs of them is not published (docs/hosted.md). ${storage.service}'s is what GET /storage/v1/version of your project says.`;

/** For a terminal. */
export async function laterRequests(config: Config): Promise<string> {
  const lines = new Map<string, number>();
  let count = 0;
  for (const service of ["rest", "auth"]) {
    const answer = await control<RecordList>(controlSocketPath(config), "requests", { service });
    if (!answer)
      return `Requests are not compared with hosted's ${VERSIONS}: no stack of this project is running, and those that it answered are known from it only. Start it with --strict, use the app or run its tests, and rehearse again.`;
    const { records } = answer;
    count += records.length;
    for (const { method, path, later = [] } of records)
      for (const sentence of later) {
        const line = `! ${method} ${path}: ${sentence}`;
        lines.set(line, (lines.get(line) ?? 0) + 1);
      }
  }
  const compared = `The last ${count} requests to REST and Auth of the running stack are compared with hosted's ${VERSIONS}.`;
  if (lines.size === 0) return `${compared} None uses what these do not have. ${OTHERS}`;
  const counted = [...lines].map(([line, times]) => (times > 1 ? `${line} (${times} times)` : line));
  return [`${compared} ${OTHERS}`, ...counted].join("\n");
}
