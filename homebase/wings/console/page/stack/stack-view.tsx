/** Owns the Stack view: which of its lists the address names. */
import { HealthView } from "./health.tsx";
import { Listing, type ViewProps } from "./listing.tsx";
import { CONFIG, EXTENSIONS, FUNCTIONS, MIGRATIONS } from "./lists.tsx";
import { POLICIES } from "./policies.tsx";

export const STACK_ITEMS = ["policies", "migrations", "config", "functions", "extensions", "health"] as const;

export function titleOf(item: string): string {
  return item.slice(0, 1).toUpperCase() + item.slice(1);
}

/** What an address of this view names; undefined for those of others. */
export function stackItemOf({ pathname }: URL): string | undefined {
  return pathname.startsWith("/stack/") ? pathname.slice("/stack/".length) : undefined;
}

export function Stack({ item, began, ...props }: ViewProps & { item: string; began: number | undefined }) {
  switch (item) {
    case "policies":
      return <Listing key={item} listing={POLICIES} {...props} />;
    case "migrations":
      return <Listing key={item} listing={MIGRATIONS} {...props} />;
    case "config":
      return <Listing key={item} listing={CONFIG} {...props} />;
    case "functions":
      return <Listing key={item} listing={FUNCTIONS} {...props} />;
    case "extensions":
      return <Listing key={item} listing={EXTENSIONS} {...props} />;
    case "health":
      return <HealthView began={began} {...props} />;
    default:
      return (
        <main className="data">
          <h1 className="unseen">Stack</h1>
          <div className="empty">
            <p>The stack has no list {item}.</p>
          </div>
        </main>
      );
  }
}
