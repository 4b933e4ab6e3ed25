/** Owns: a guest's link to themselves, for their other device. */
import { useMutation } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { browserZone, clockOf, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { useSession } from "../../session/session.tsx";
import { createPersonalLink, revokePersonalLink } from "../mutations.ts";
import { inviteWords } from "../words.ts";

export function PersonalLink() {
  const words = inviteWords().personal;
  const session = useSession();
  const make = useMutation({ mutationFn: createPersonalLink });
  const revoke = useChange(revokePersonalLink, ["sessions"]);
  if (!session?.user.is_anonymous) return <p className="text-sm text-ink-soft">{words.account}</p>;
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
      <div className="flex flex-wrap gap-2">
        <Button
          busy={make.isPending}
          onPress={() => {
            revoke.reset();
            make.mutate();
          }}
        >
          {make.data ? words.another : words.make}
        </Button>
        <Button
          look="plain"
          busy={revoke.isPending}
          onPress={() => revoke.mutate(undefined, { onSuccess: make.reset })}
        >
          {words.revoke}
        </Button>
      </div>
      <p role="status" className={revoke.isSuccess ? "text-sm text-yes" : "sr-only"}>
        {revoke.isSuccess ? words.revoked : ""}
      </p>
      {make.isError || revoke.isError ? <ErrorNotice error={make.error ?? revoke.error} /> : null}
    </section>
  );
}
