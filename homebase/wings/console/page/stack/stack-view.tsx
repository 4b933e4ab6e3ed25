/** Owns the Stack view: which of its lists the address names. */
import type { About } from "../../server/api.ts";
import { HealthView } from "./health.tsx";
import { Listing, type ListingOf } from "./listing.tsx";
import { CONFIG, EXTENSIONS, FUNCTIONS, MIGRATIONS } from "./lists.tsx";
import { POLICIES } from "./policy-list.tsx";
import { SNAPSHOTS, SnapshotsView } from "./snapshots-view.tsx";

const ITEMS = ["policies", "migrations", "config", "functions", "extensions", "health"];

/** The lists, of which some are there only with what offers them. */
export function stackItems(about: Pick<About, "snapshots"> | undefined): readonly string[] {
  return about?.snapshots ? [...ITEMS, SNAPSHOTS] : ITEMS;
}

export function titleOf(item: string): string {
  return item.slice(0, 1).toUpperCase() + item.slice(1);
}

/** What an address of this view names; undefined for those of others. */
export function stackItemOf({ pathname }: URL): string | undefined {
  return pathname.startsWith("/stack/") ? pathname.slice("/stack/".length) : undefined;
}

const LISTINGS = {
  policies: POLICIES,
  migrations: MIGRATIONS,
  config: CONFIG,
  functions: FUNCTIONS,
  extensions: EXTENSIONS,
};

export function Stack({ item, about, url }: { item: string; about: About | undefined; url: URL }) {
  if (item === "health") return <HealthView began={about?.began} />;
  if (item === SNAPSHOTS) return <SnapshotsView url={url} />;
  // Each has the type of its own call.
  const listing = LISTINGS[item as keyof typeof LISTINGS] as unknown as ListingOf<"policies">;
  return <Listing key={item} listing={listing} url={url} />;
}
