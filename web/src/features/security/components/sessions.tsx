/** Owns: the list of signed-in devices, and signing out on one of them. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { useNow } from "../../../lib/device/now.ts";
import { browserZone, formatRelative } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { deviceOf } from "../devices.ts";
import { endSession } from "../mutations.ts";
import { type SignedInDevice, securityQueries } from "../queries.ts";
import { securityWords } from "../words.ts";

export function Sessions() {
  const words = securityWords().sessions;
  const now = useNow();
  const sessions = useQuery(securityQueries.sessions());
  const end = useChange(endSession, ["sessions"]);
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <Loaded query={sessions} what={words.loading} shapes={["h-14"]}>
        {(data) => (
          <ul className="divide-y divide-line">
            {data.map((session) => {
              const name = nameOf(session);
              return (
                <li
                  key={session.id}
                  className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2"
                >
                  <p className="min-w-0 leading-tight">
                    <span className="font-semibold">{name}</span>
                    <span className="block text-sm text-ink-soft">
                      {session.current
                        ? words.here
                        : words.lastUsed(formatRelative(session.last_used_at, now, browserZone()))}
                    </span>
                  </p>
                  {session.current ? null : (
                    <Button
                      look="plain"
                      isDisabled={end.isPending}
                      aria-label={words.endNamed(name)}
                      onPress={() => end.mutate(session.id)}
                    >
                      {words.end}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
      {end.isError ? <ErrorNotice error={end.error} /> : null}
      <p role="status" className="sr-only">
        {end.isSuccess ? words.ended : ""}
      </p>
    </section>
  );
}

function nameOf(session: SignedInDevice): string {
  const words = securityWords().sessions;
  const { browser, system } = deviceOf(session.user_agent);
  if (browser && system) return words.device(browser, system);
  return browser ?? system ?? words.unknown;
}
