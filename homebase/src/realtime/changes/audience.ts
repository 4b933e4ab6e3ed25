/**
 * Owns grouping subscribers by table: those with the same role, claims, filters, columns and action form an
 * audience, which is evaluated once for each change, however many they are.
 */

import type { Action, Listener, Subscription } from "./subscription.ts";
import type { Filter } from "./subscription-filter.ts";

/** Subscribers that row security cannot distinguish. */
export interface Group {
  role: string;
  /** JSON text. */
  claims: string;
}

export interface AudienceMember {
  listener: Listener;
  ids: number[];
}

export interface Audience {
  group: Group;
  action: Action | "*";
  filters: readonly Filter[];
  /** Equal for equal filters. */
  filterKey: string;
  select: readonly string[] | undefined;
  /** Equal when the change's JSON is equal. */
  shownKey: string;
  members: AudienceMember[];
}

/** The audiences of all tables. */
export class Audiences {
  readonly #subscriptions = new Set<Subscription>();
  readonly #byTable = new Map<string, readonly Audience[]>();
  readonly #groups = new Map<string, Group>();

  add(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) this.#subscriptions.add(subscription);
    this.#forget();
  }

  remove(subscriptions: readonly Subscription[]): void {
    for (const subscription of subscriptions) this.#subscriptions.delete(subscription);
    this.#forget();
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  /** The audiences of a table. Cached until a subscription is added or removed. */
  of(schema: string, table: string): readonly Audience[] {
    const key = JSON.stringify([schema, table]);
    let found = this.#byTable.get(key);
    if (!found) {
      found = this.#gather(schema, table);
      this.#byTable.set(key, found);
    }
    return found;
  }

  #forget(): void {
    this.#byTable.clear();
    this.#groups.clear();
  }

  #gather(schema: string, table: string): Audience[] {
    const audiences = new Map<string, Audience>();
    for (const subscription of this.#subscriptions) {
      if (!subscription.matches(schema, table)) continue;
      const { role, claims, action, filters, select, listener, id } = subscription;
      const filterKey = filters.length === 0 ? "" : JSON.stringify(filters);
      const shownKey = JSON.stringify([role, select ?? null]);
      const key = JSON.stringify([shownKey, claims, action, filterKey]);
      let audience = audiences.get(key);
      if (!audience) {
        const group = this.#group(role, claims);
        audience = { group, action, filters, filterKey, select, shownKey, members: [] };
        audiences.set(key, audience);
      }
      const member = audience.members.at(-1);
      // A channel's subscriptions are added together, so they are adjacent.
      if (member?.listener === listener) member.ids.push(id);
      else audience.members.push({ listener, ids: [id] });
    }
    return [...audiences.values()];
  }

  #group(role: string, claims: string): Group {
    const key = `${role}\n${claims}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = { role, claims };
      this.#groups.set(key, group);
    }
    return group;
  }
}
