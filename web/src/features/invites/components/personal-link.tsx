/** Owns: a guest's link to themselves, for their other device. */
import { useQuery } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { browserZone, clockOf, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useSession } from "../../session/session.tsx";
import { createPersonalLink, hasPersonalLink, revokePersonalLink } from "../mutations.ts";
import { inviteWords } from "../words.ts";

export function PersonalLink() {
  const words = inviteWords().personal;
  const session = useSession();
  const guest = session?.user.is_anonymous ?? false;
  const { data: revocable } = useQuery({
    queryKey: ["sessions", "personal-link"],
    queryFn: hasPersonalLink,
    enabled: guest,
  });
  const make = useChange(createPersonalLink, ["sessions"]);
  const revoke = useChange(revokePersonalLink, ["sessions"]);
  if (!guest) return <p className="text-sm text-ink-soft">{words.account}</p>;
  const zone = browserZone();
  return (
    <section aria-label={words.heading} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.heading}</h2>
      <p className="text-ink-soft">{words.text}</p>
      {make.data ? (
        <>
          <CopyLink label={words.field} address={make.data.address} />
          <p className="text-sm text-ink-soft">
            {words.until(`${dayOf(make.data.until, zone)}, ${clockOf(make.data.until, zone)}`)}{" "}
            {words.replaces}
          </p>
        </>
      ) : null}
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <Button
          busy={make.isPending}
          onPress={() => {
            revoke.reset();
            make.mutate();
          }}
        >
          {make.data ? words.another : words.make}
        </Button>
        {revocable ? (
          <Button
            look="plain"
            // Also alone in its row its text begins where the text above does.
            className="-ml-2"
            busy={revoke.isPending}
            onPress={() => revoke.mutate(undefined, { onSuccess: make.reset })}
          >
            {words.revoke}
          </Button>
        ) : null}
      </div>
      <p role="status" className={revoke.isSuccess ? "text-sm text-yes" : "sr-only"}>
        {revoke.isSuccess ? words.revoked : ""}
      </p>
      {make.isError || revoke.isError ? <ErrorNotice error={make.error ?? revoke.error} /> : null}
    </section>
  );
}
