/** Owns a list of names with their values. */
import type { ReactNode } from "react";

export type FactsOf = readonly (readonly [name: ReactNode, value: ReactNode])[];

export function Facts({ facts }: { facts: FactsOf }) {
  return (
    <dl className="values-of">
      {facts.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns of a query may have one name
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
