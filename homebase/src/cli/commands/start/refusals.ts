/** Owns the terminal's line after a refused request or an empty answer: why, or how to ask why. */
import { inBackground } from "../../../core/error-boundary.ts";
import type { Log } from "../../../core/log.ts";
import { UserError } from "../../../core/user-error.ts";
import type { Explanation } from "../../../explain/index.ts";
import type { RequestRecord, RequestRecords } from "../../../http/records.ts";

/** A client in a loop must not fill the terminal. */
const PAUSE_MS = 1_000;
const SHORT_ID = 8;
/** Of a line; `homebase explain` has the rest. */
const MOST_TEXT = 300;

export interface WhyOptions {
  /** Explains a request by its id; undefined where it is gone. */
  explain(id: string): Promise<Explanation | undefined>;
  /** Takes the line. It may quote rows and claims, so it goes to the terminal and to no log. */
  tell(line: string, id: string): void;
}

/**
 * Says of refusals that `homebase explain` goes into which command does it, at most once a second.
 * @param why explains them instead, one at a time, and answers from which row security hides all rows.
 */
export function tellRefusals(records: RequestRecords, log: Log, why?: WhyOptions): void {
  let quietUntil = 0;
  let explaining = false;
  records.onRecord = (record) => {
    const { service, ran, method, path, id } = record;
    if ((service !== "rest" && service !== "storage") || !ran) return;
    const refused = isRefused(record);
    if (!refused && !(why && isEmpty(record))) return;
    const now = performance.now();
    if (now < quietUntil || explaining) return;
    quietUntil = now + PAUSE_MS;
    const command = `homebase explain --id ${id.slice(0, SHORT_ID)}`;
    const what = `${method} ${path} ${refused ? `was refused: ${answerOf(record)}` : "returned no rows"}`;
    if (!why) {
      log.named(service).warn(`${what}, why: ${command}`);
      return;
    }
    explaining = true;
    inBackground(log, "the explanation of a request", async () => {
      try {
        const explanation = await why.explain(id);
        const reason = explanation && reasonOf(explanation, refused);
        if (reason !== undefined) why.tell(`${what}. ${reason} More: ${command}`, id);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        if (refused) why.tell(`${what}. ${error.message}`, id);
      } finally {
        explaining = false;
      }
    });
  };
}

/** Storage answers its refusals with 400. */
function isRefused({ status, code }: RequestRecord): boolean {
  return status === 401 || status === 403 || code === "42501" || code === "AccessDenied";
}

function isEmpty({ service, status, rows }: RequestRecord): boolean {
  return service === "rest" && status < 300 && rows === 0;
}

function answerOf({ status, code }: RequestRecord): string {
  return code === undefined ? `${status}` : `${status} ${code}`;
}

/** The first sentence, with its table. Of an empty answer only where row security hides rows. */
function reasonOf({ sentences }: Explanation, refused: boolean): string | undefined {
  const hides = sentences.find(({ kind }) => kind === "hidden");
  const told = refused ? sentences[0] : hides;
  if (!told) return undefined;
  const text = told.text.length > MOST_TEXT ? `${told.text.slice(0, MOST_TEXT)}…` : told.text;
  return told.table ? `${told.table.schema}.${told.table.name}: ${text}` : text;
}
