/** Owns the Stack view: which of its lists the address names. */
import { Empty } from "../parts/controls.tsx";
import { HealthView } from "./health.tsx";
import { Listing, type ListingOf } from "./listing.tsx";
import { CONFIG, EXTENSIONS, FUNCTIONS, MIGRATIONS } from "./lists.tsx";
import { POLICIES } from "./policy-list.tsx";

export const STACK_ITEMS = ["policies", "migrations", "config", "functions", "extensions", "health"] as const;

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

export function Stack({ item, began, url }: { item: string; began: number | undefined; url: URL }) {
  if (item === "health") return <HealthView began={began} />;
  // Each has the type of its own call.
  const listing =
    Object.hasOwn(LISTINGS, item) &&
    (LISTINGS[item as keyof typeof LISTINGS] as unknown as ListingOf<"policies">);
  if (listing) return <Listing key={item} listing={listing} url={url} />;
  return (
    <main className="data">
      <h1 className="unseen">Stack</h1>
      <Empty>{`The stack has no list ${item}.`}</Empty>
    </main>
  );
}
