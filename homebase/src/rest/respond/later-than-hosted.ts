/**
 * Owns what a request uses that came after the PostgREST of hosted projects (CHANGELOG.md of PostgREST, 16.0 to 16.4).
 * The sentences have no values of the request: they are also shown where values are not.
 */
import { HOSTED_VERSIONS } from "../../config/hosted/hosted-versions.ts";
import type { Log } from "../../core/log.ts";
import type { ServiceRequest } from "../../http/exchange.ts";
import { tellingLater } from "../../http/later-notes.ts";
import type { PipelinePool } from "../../postgres/pipeline/pool.ts";
import type { Parameters } from "../grammar/parameters.ts";
import type { RelationItem, SelectItem } from "../grammar/syntax.ts";
import type { Plan } from "../plan/plan.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";

const HOSTED = `hosted's PostgREST ${HOSTED_VERSIONS.rest.hosted.version}`;
const MOST_ZONES = 500;

interface Noting {
  pool: PipelinePool;
  log: Log;
  /** Whether the log says it too. */
  strict?: boolean | undefined;
}

export type NoteLater = (
  http: ServiceRequest,
  request: RestRequest,
  plan: Plan | undefined,
  settings: RestSettings,
) => Promise<void>;

/** Notes in a request's record what hosted's version does not have. */
export function laterNotes({ pool, log, strict }: Noting): NoteLater {
  const zones = new ZoneNames(pool);
  const tell = tellingLater(log, strict);
  return async ({ record }, request, plan, settings) => {
    if (record) tell(record, await laterThanHosted(request, plan, settings, zones));
  };
}

/** What `request` uses, one sentence each. @param plan undefined for the description of a schema. */
async function laterThanHosted(
  { preferences, action, schema, parameters }: RestRequest,
  plan: Plan | undefined,
  { legacyTargetNames }: RestSettings,
  zones: ZoneNames,
): Promise<string[]> {
  const found: string[] = [];
  const { timezone } = preferences;
  if (timezone !== undefined && !(await zones.has(timezone)))
    found.push(
      `Prefer: timezone takes only the names of pg_timezone_names, as they are written there, on ${HOSTED}, which ignores others (and refuses them with handling=strict).`,
    );
  if (plan?.root.legacyNames)
    found.push(`The header Warning is not sent by ${HOSTED}, which takes the relation's name without one.`);
  if (!legacyTargetNames && namesAliased(parameters))
    found.push(
      `url-use-legacy-target-names is unknown to ${HOSTED}: there a filter, order or limit by a relation's name also means the first embed of it with an alias.`,
    );
  if (action === "inspect" && schema !== schema.toLowerCase())
    found.push(`The description of a schema with capital letters is wrong on ${HOSTED} (corrected in 16.4).`);
  return found;
}

/** Whether a filter, order or limit names a relation that the select also has under an alias. */
function namesAliased({ select, filters, groups, orders, limits, offsets }: Parameters): boolean {
  const aliased = new Set(
    relationsIn(select).flatMap(({ alias, name }) => (alias === undefined || alias === name ? [] : name)),
  );
  return [filters, groups, orders, limits, offsets]
    .flat()
    .some(({ path }) => path.some((word) => aliased.has(word)));
}

function relationsIn(items: readonly SelectItem[]): RelationItem[] {
  return items.flatMap((item) => (item.kind === "relation" ? [item, ...relationsIn(item.select)] : []));
}

/** The names of Postgres's time zones, each asked for once. */
class ZoneNames {
  readonly #pool: PipelinePool;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(pool: PipelinePool) {
    this.#pool = pool;
  }

  has(name: string): Promise<boolean> {
    let known = this.#known.get(name);
    if (known === undefined) {
      if (this.#known.size >= MOST_ZONES) this.#known.clear();
      // The request itself says what is wrong with the database.
      known = this.#ask(name).catch(() => {
        this.#known.delete(name);
        return true;
      });
      this.#known.set(name, known);
    }
    return known;
  }

  async #ask(name: string): Promise<boolean> {
    const text = "select exists (select from pg_catalog.pg_timezone_names where name = $1)::text";
    const [rows] = await this.#pool.run([{ text, values: [name], prepare: true }]);
    return String(rows?.[0]?.text(0)) === "true";
  }
}
