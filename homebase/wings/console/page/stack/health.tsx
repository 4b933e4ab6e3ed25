/** Owns how the stack is: figures of now, and lines of the last 30 minutes, which are asked for only while this is open. */
import { useEffect, useState } from "react";
import type { Health } from "../../server/api.ts";
import { Heading, Scrolled } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { Facts } from "../parts/facts.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted, duration, size } from "../parts/words.ts";

const EVERY_MS = 5_000;
const SHOWN_MS = 30 * 60_000;
const HEIGHT = 36;

/** @param began milliseconds since 1970 */
export function HealthView({ began }: { began: number | undefined }) {
  const [samples, setSamples] = useState<readonly Health[]>([]);
  const { answer: now, failure } = useAnswer("health", {}, { every: EVERY_MS });
  useEffect(() => {
    if (now) setSamples((before) => [...before.filter(({ at }) => at > now.at - SHOWN_MS), now]);
  }, [now]);
  return (
    <main className="data stack">
      <Heading>Health</Heading>
      <div className="bar">
        <b>Health</b>
      </div>
      {failure !== undefined && (
        <div className="cleared">
          <Alert text={failure} />
        </div>
      )}
      <Scrolled className="health" label="Figures" aria-busy={!now}>
        {now && (
          <>
            <Line name="Memory" samples={samples} of={({ memory }) => memory} text={size} />
            <Line name="Connections" samples={samples} of={({ connections }) => connections} text={String} />
            <Line name="Sockets" samples={samples} of={({ sockets }) => sockets} text={String} />
            <Facts
              facts={[
                ["up", began === undefined ? "–" : duration(now.at - began)],
                ["memory", `${size(now.memory)} in the stack's own process`],
                ["connections", `${now.connections} of ${now.mostConnections} that Postgres takes`],
                ["sockets", `${counted(now.sockets, "socket")}, ${counted(now.channels, "channel")}`],
                ["database", size(now.database)],
                ["stored files", size(now.files)],
                ["disk", `${size(now.folder)} of this project's data, ${size(now.free)} free`],
              ]}
            />
          </>
        )}
      </Scrolled>
      <footer className="foot">
        <span>Asked every {EVERY_MS / 1000} s while this is open</span>
      </footer>
    </main>
  );
}

interface LineProps {
  name: string;
  samples: readonly Health[];
  of(one: Health): number;
  text(value: number): string;
}

/** The last 30 minutes from left to right, from 0 to a little over the highest. */
function Line({ name, samples, of, text }: LineProps) {
  const last = samples.at(-1);
  if (!last) return null;
  const values = samples.map(of);
  const most = Math.max(...values, 1) * 1.1;
  const points = samples.map(
    (one) => `${100 - ((last.at - one.at) / SHOWN_MS) * 100},${HEIGHT - (of(one) / most) * HEIGHT}`,
  );
  const lowest = text(Math.min(...values));
  const highest = text(Math.max(...values));
  return (
    <figure>
      <figcaption>
        <b>{name}</b> {text(of(last))}
        <small>{lowest === highest ? "" : `${lowest} to ${highest}`}</small>
      </figcaption>
      <svg
        viewBox={`0 0 100 ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: now ${text(of(last))}, from ${lowest} to ${highest} in the last ${duration(last.at - (samples[0]?.at ?? last.at))}`}
      >
        <polyline
          points={points.length === 1 ? `99,${points[0]?.split(",")[1]} ${points[0]}` : points.join(" ")}
        />
      </svg>
    </figure>
  );
}
