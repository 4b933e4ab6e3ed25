/**
 * Owns choosing among several hosts of one database, e.g. a replica and its primary (PostgreSQL
 * documentation, "Specifying Multiple Hosts", `target_session_attrs`; PostgREST documentation, "Read
 * Replicas").
 */
import type pg from "pg";
import type { AddressSource } from "../../src/postgres/address.ts";
import { connected } from "../../src/postgres/connected.ts";

const NAMES = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;

/** The required kind of session. */
export type SessionAttributes = (typeof NAMES)[number];

/** The hosts and login of a database. */
export interface DatabaseAddress {
  /** Options for pg; host and port are those of the first host. */
  config: pg.ClientConfig;
  /** All hosts, in the order in which they are tried. */
  hosts: readonly { host?: string; port?: number }[];
  session: SessionAttributes;
}

/** Undefined for a name that libpq does not know. */
export function sessionAttributes(name: string): SessionAttributes | undefined {
  return NAMES.find((one) => one === name);
}

/**
 * The host for a new connection. Of several, the first with the required kind of session; chosen anew for
 * each connection, so that another host takes over when one fails.
 */
export function hostChooser({ config, hosts }: DatabaseAddress, wanted: SessionAttributes): AddressSource {
  if (hosts.length < 2) return config;
  const places = hosts.map((one) => ({ ...config, ...one }));
  return async () => {
    let failure: unknown;
    const rounds: SessionAttributes[] = wanted === "prefer-standby" ? ["standby", "any"] : [wanted];
    for (const attributes of rounds) {
      for (const place of places) {
        try {
          if (await fits(place, attributes)) return place;
          failure = new Error(`No host has a ${attributes} session.`);
        } catch (error) {
          failure = error;
        }
      }
    }
    throw failure;
  };
}

const STATE =
  "select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only')::boolean as readonly";

function fits(place: pg.ClientConfig, wanted: SessionAttributes): Promise<boolean> {
  return connected(place, async (client) => {
    if (wanted === "any") return true;
    const { rows } = await client.query<{ standby: boolean; readonly: boolean }>(STATE);
    const { standby = false, readonly = false } = rows[0] ?? {};
    switch (wanted) {
      case "read-write":
        return !standby && !readonly;
      case "read-only":
        return standby || readonly;
      case "primary":
        return !standby;
      default:
        return standby;
    }
  });
}
