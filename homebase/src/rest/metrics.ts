/**
 * Owns the service's counters and their Prometheus text (PostgREST documentation, "Metrics"; Prometheus,
 * "Exposition formats").
 */

export interface PoolGauges {
  available: number;
  waiting: number;
  max: number;
}

/** Counters since the start. */
export class Metrics {
  poolTimeouts = 0;
  schemaLoads = 0;
  schemaFailures = 0;
  /** Duration of the last successful load. */
  schemaSeconds = 0;
  tokenRequests = 0;
  tokenHits = 0;
  tokenEvictions = 0;

  toText({ available, waiting, max }: PoolGauges): string {
    return [
      counter(
        "pgrst_db_pool_timeouts_total",
        "The total number of pool connection timeouts",
        this.poolTimeouts,
      ),
      gauge("pgrst_db_pool_available", "Available connections in the pool", available),
      gauge("pgrst_db_pool_waiting", "Requests waiting to acquire a pool connection", waiting),
      gauge("pgrst_db_pool_max", "Max pool connections", max),
      head(
        "pgrst_schema_cache_loads_total",
        "The total number of times the schema cache was loaded",
        "counter",
      ),
      ...(this.schemaFailures > 0
        ? [sample('pgrst_schema_cache_loads_total{status="FAIL"}', this.schemaFailures)]
        : []),
      ...(this.schemaLoads > 0
        ? [sample('pgrst_schema_cache_loads_total{status="SUCCESS"}', this.schemaLoads)]
        : []),
      gauge(
        "pgrst_schema_cache_query_time_seconds",
        "The query time in seconds of the last schema cache load",
        this.schemaSeconds,
      ),
      counter("pgrst_jwt_cache_requests_total", "The total number of JWT cache lookups", this.tokenRequests),
      counter("pgrst_jwt_cache_hits_total", "The total number of JWT cache hits", this.tokenHits),
      counter(
        "pgrst_jwt_cache_evictions_total",
        "The total number of JWT cache evictions",
        this.tokenEvictions,
      ),
    ].join("");
  }
}

const head = (name: string, help: string, kind: "counter" | "gauge") =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`;

/** Numbers always have a fraction, as upstream. */
const sample = (name: string, value: number) =>
  `${name} ${Number.isInteger(value) ? value.toFixed(1) : value}\n`;

const counter = (name: string, help: string, value: number) =>
  head(name, help, "counter") + sample(name, value);

const gauge = (name: string, help: string, value: number) => head(name, help, "gauge") + sample(name, value);
