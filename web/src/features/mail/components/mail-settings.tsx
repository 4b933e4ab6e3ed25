/** Owns: the mails that the person receives, and the URL of their calendar feed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "../../../lib/change.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyLink } from "../../../ui/copy-link.tsx";
import { Switch } from "../../../ui/fields/switch.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { endFeed, makeFeed, saveMailSettings } from "../mutations.ts";
import { mailQueries, type MailSettings as Settings } from "../queries.ts";
import { mailWords } from "../words.ts";

export function MailSettings({ me }: { me: string }) {
  const words = mailWords();
  const queries = useQueryClient();
  const settings = useQuery(mailQueries.settings(me));
  const { queryKey } = mailQueries.settings(me);
  const save = useMutation({
    mutationFn: (change: Partial<Settings>) => saveMailSettings(me, change),
    // The switch moves at once and comes back where the server refuses.
    onMutate: (change) => {
      const before = queries.getQueryData(queryKey);
      queries.setQueryData(queryKey, (now: Settings | undefined) => now && { ...now, ...change });
      return before;
    },
    onError: (_error, _change, before) => queries.setQueryData(queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-2 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <Loaded query={settings} what={words.loading} shapes={["h-24"]}>
        {(data) => (
          <>
            <Switch isSelected={data.mail_invites} onChange={(mail_invites) => save.mutate({ mail_invites })}>
              {words.invites}
            </Switch>
            <Switch
              isSelected={data.mail_reminders}
              onChange={(mail_reminders) => save.mutate({ mail_reminders })}
            >
              {words.reminders}
            </Switch>
          </>
        )}
      </Loaded>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
    </section>
  );
}

export function CalendarFeed() {
  const words = mailWords().calendar;
  const exists = useQuery(mailQueries.hasFeed());
  const make = useChange(makeFeed, mailQueries.hasFeed().queryKey);
  const end = useChange(endFeed, mailQueries.hasFeed().queryKey);
  const address = make.data;
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <p className="text-ink-soft">{words.text}</p>
      {address ? (
        <CopyLink label={words.address} address={address} help={words.secret} look="quiet">
          <a
            href={address.replace(/^https?:/, "webcal:")}
            className="inline-flex min-h-11 items-center rounded-full bg-action px-5 font-semibold text-on-action"
          >
            {words.open}
          </a>
        </CopyLink>
      ) : (
        <>
          {exists.data ? <p className="text-sm text-ink-soft">{words.exists}</p> : null}
          <div className="flex flex-wrap gap-2">
            <Button busy={make.isPending} onPress={() => make.mutate()}>
              {exists.data ? words.again : words.make}
            </Button>
            {exists.data ? (
              <Button
                look="plain"
                busy={end.isPending}
                onPress={() => end.mutate(undefined, { onSuccess: make.reset })}
              >
                {words.stop}
              </Button>
            ) : null}
          </div>
        </>
      )}
      {make.isError || end.isError ? <ErrorNotice error={make.error ?? end.error} /> : null}
      <p role="status" className="sr-only">
        {end.isSuccess ? words.ended : ""}
      </p>
    </section>
  );
}
