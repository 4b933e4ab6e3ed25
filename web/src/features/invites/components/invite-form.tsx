/** Owns: the form of inviting: a link to hand on, mails, the links that are out, and the plan's own. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { browserZone, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { MOST_DAYS, MOST_USES, makeInvite, useFreshInvite, withdrawInvite } from "../fresh.ts";
import type { Target } from "../queries.ts";
import { inviteQueries, type Link } from "../queries.ts";
import { inviteWords } from "../words.ts";
import { MailForm } from "./mail-form.tsx";
import { PlanLink } from "./plan-link.tsx";

export function InviteForm({ target, byMail }: { target: Target; byMail: boolean }) {
  return (
    <div className="flex flex-col gap-6">
      <LinkForm target={target} />
      {target.kind === "plan" && byMail ? <MailForm plan={target.id} /> : null}
      <LinksOut target={target} />
      {target.kind === "plan" ? <PlanLink plan={target.id} /> : null}
    </div>
  );
}

const DAYS = [1, 3, 7, MOST_DAYS];
const USES = [1, 2, 5, 10, MOST_USES];

function LinkForm({ target }: { target: Target }) {
  const words = inviteWords().link;
  const [days, setDays] = useState(MOST_DAYS);
  const [uses, setUses] = useState(MOST_USES);
  const address = useFreshInvite(target.id);
  const [another, setAnother] = useState(false);
  const invite = useChange(() => makeInvite(target, days, uses), ["invites", target.id]);
  return (
    <section aria-label={words.heading} className="flex flex-col gap-3">
      <h3 className="text-lg">{words.heading}</h3>
      <p className="text-ink-soft">{words.text[target.kind]}</p>
      {address ? (
        // A copied mark belongs to one address.
        <CopyLink
          key={address}
          label={words.field}
          address={address}
          share={words.shareText}
          autoFocus={!invite.isIdle}
        />
      ) : null}
      {address && !another ? (
        <Button look="plain" className="-ml-2 self-start" onPress={() => setAnother(true)}>
          {words.another}
        </Button>
      ) : (
        <>
          <div className="grid grid-cols-2 gap-3">
            <Choice label={words.days} of={DAYS} value={days} say={words.daysOf} onChange={setDays} />
            <Choice label={words.uses} of={USES} value={uses} say={words.usesOf} onChange={setUses} />
          </div>
          {address ? <p className="text-sm text-ink-soft">{words.stays}</p> : null}
          <Button
            look={address ? "quiet" : "action"}
            busy={invite.isPending}
            onPress={() => invite.mutate(undefined, { onSuccess: () => setAnother(false) })}
          >
            {words.make}
          </Button>
        </>
      )}
      {invite.isError ? <ErrorNotice error={invite.error} /> : null}
    </section>
  );
}

function Choice({
  label,
  of,
  value,
  say,
  onChange,
}: {
  label: string;
  of: readonly number[];
  value: number;
  say: (number: number) => string;
  onChange: (number: number) => void;
}) {
  return (
    <Select
      label={label}
      value={String(value)}
      options={of.map((number) => [String(number), say(number)])}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  );
}

function LinksOut({ target }: { target: Target }) {
  const words = inviteWords().active;
  const links = useQuery(inviteQueries.links(target));
  const withdraw = useChange(withdrawInvite, ["invites", target.id]);
  if (links.isError && !links.data) {
    return <ErrorNotice error={links.error} retry={() => void links.refetch()} />;
  }
  const there = (links.data?.length ?? 0) > 0;
  return (
    <>
      {there ? (
        <section aria-label={words.heading} className="flex flex-col gap-2 border-t border-line pt-4">
          <h3 className="text-lg">{words.heading}</h3>
          <ul className="flex flex-col divide-y divide-line">
            {links.data?.map((link) => (
              <LinkOut
                key={link.id}
                link={link}
                busy={withdraw.isPending && withdraw.variables === link.id}
                withdraw={() => withdraw.mutate(link.id)}
              />
            ))}
          </ul>
          {withdraw.isError ? <ErrorNotice error={withdraw.error} /> : null}
        </section>
      ) : null}
      <p role="status" className={withdraw.isSuccess ? "text-sm text-yes" : "sr-only"}>
        {withdraw.isSuccess ? words.revoked : ""}
      </p>
    </>
  );
}

function LinkOut({ link, busy, withdraw }: { link: Link; busy: boolean; withdraw: () => void }) {
  const words = inviteWords().active;
  const zone = browserZone();
  const from = dayOf(link.created_at, zone);
  return (
    <li className="flex items-center justify-between gap-3 py-1">
      <p className="min-w-0 text-sm">
        <span className="block">{words.madeAt(from)}</span>
        <span className="numerals text-ink-soft">
          {words.used(link.uses, link.max_uses)}, {words.until(dayOf(link.expires_at, zone))}
        </span>
      </p>
      <Button look="plain" busy={busy} aria-label={words.revokeOne(from)} onPress={withdraw}>
        {words.revoke}
      </Button>
    </li>
  );
}
