/** Owns: the profile screen: name, picture, diet, budget, start point, appearance, and turning a guest into an account. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { CalendarFeed, MailSettings } from "../../features/mail/components/mail-settings.tsx";
import { DietChoice } from "../../features/people/components/diet-choice.tsx";
import { type ProfileChange, saveAvatar, saveProfile } from "../../features/people/mutations.ts";
import { faceOf, peopleQueries } from "../../features/people/queries.ts";
import { displayName, type Profile } from "../../features/people/schema.ts";
import { PriceMarks } from "../../features/places/components/price.tsx";
import { StartPoint } from "../../features/places/components/start-point.tsx";
import { placeWords } from "../../features/places/words.ts";
import { PushSetting } from "../../features/push/components/push-setting.tsx";
import { Sessions } from "../../features/security/components/sessions.tsx";
import { Account, KeepYourSeat } from "../../features/session/components/account.tsx";
import { signOut } from "../../features/session/mutations.ts";
import { useMyId, useSession } from "../../features/session/session.tsx";
import { UsualTimes } from "../../features/usual-times/components/usual-times.tsx";
import { useChange } from "../../lib/change.ts";
import { guestToMove } from "../../lib/device/guest-to-move.ts";
import { useTitle } from "../../lib/device/title.ts";
import { problemWith } from "../../lib/rules.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { Form } from "../../ui/fields/form.tsx";
import { PickFiles } from "../../ui/fields/pick-files.tsx";
import { Pills } from "../../ui/fields/pills.tsx";
import { lazyOptional } from "../../ui/lazy-optional.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { ErrorNotice, Skeleton } from "../../ui/notice.tsx";
import { LanguageChoice } from "../language-choice.tsx";
import { applyTheme, readTheme, type Theme } from "../theme.ts";
import { meWords } from "../words/me-words.ts";

const PersonalLink = lazy(async () => ({
  default: (await import("../../features/invites/components/personal-link.tsx")).PersonalLink,
}));
/** Only where the build names street tiles. */
const TilesChoice = lazyOptional(
  async () => (await import("../../features/map/components/tiles-choice.tsx")).TilesChoice,
);
const TwoFactor = lazy(async () => ({
  default: (await import("../../features/security/components/two-factor.tsx")).TwoFactor,
}));
/** Loaded only if a guest of this device is to move into the account. */
const GuestMove = lazyOptional(
  async () => (await import("../../features/invites/components/guest-move.tsx")).GuestMove,
);

/** The next two are loaded for guests only. */
const AddressTaken = lazyOptional(
  async () => (await import("../../features/invites/components/address-taken.tsx")).AddressTaken,
);
const GuestSignOut = lazyOptional(
  async () => (await import("../../features/invites/components/keep-seat.tsx")).GuestSignOut,
);

export function Me() {
  const words = meWords();
  useTitle(words.title);
  const me = useMyId();
  const session = useSession();
  const profile = useQuery(peopleQueries.profile(me));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const gone = async () => {
    await navigate({ to: "/" });
    queries.clear();
  };
  const guest = session?.user.is_anonymous ?? true;
  // A guest who adds an address in the open question sees that it worked.
  const [cameAsGuest] = useState(guest);
  const [moving] = useState(guestToMove);
  return (
    <div className="flex max-w-5xl flex-col gap-8">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{words.title}</h1>
        <ButtonLink to="/notifications">{words.activity}</ButtonLink>
      </header>
      {moving && !guest ? (
        <GuestMove guest={moving} account={{ id: me, email: session?.user.email ?? "" }} />
      ) : null}
      {guest ? <KeepYourSeat taken={(email) => <AddressTaken email={email} />} /> : null}
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Loaded query={profile} what={words.loading} shapes={["h-72"]}>
            {(data) => (
              <>
                <Picture profile={data} />
                <ProfileForm key={data.id} profile={data} />
                <StartPoint me={me} />
                <UsualTimes me={me} />
              </>
            )}
          </Loaded>
          <ThemeChoice />
          <TilesChoice />
          <section aria-label={words.language} className="flex flex-col gap-1">
            <h2 className="text-lg">{words.language}</h2>
            <LanguageChoice className="-ml-2.5" />
          </section>
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          {guest ? null : <MailSettings me={me} />}
          <PushSetting me={me} />
          <CalendarFeed />
          {guest ? null : (
            <Suspense fallback={<Skeleton className="h-40" />}>
              <TwoFactor />
            </Suspense>
          )}
          <Sessions />
          <Suspense fallback={<Skeleton className="h-40" />}>
            <PersonalLink />
          </Suspense>
          <Account onGone={gone} />
          <div>
            {cameAsGuest ? <GuestSignOut label={words.signOut} onGone={gone} /> : <SignOut onGone={gone} />}
          </div>
        </div>
      </div>
    </div>
  );
}

function SignOut({ onGone }: { onGone: () => unknown }) {
  const leave = useMutation({ mutationFn: signOut, onSuccess: onGone });
  return (
    <>
      <Button busy={leave.isPending} onPress={() => leave.mutate()}>
        {meWords().signOut}
      </Button>
      {leave.isError ? <ErrorNotice error={leave.error} /> : null}
    </>
  );
}

function Picture({ profile }: { profile: Profile }) {
  const save = useChange((file: File) => saveAvatar(profile.id, file));
  return (
    <div className="flex flex-wrap items-center gap-4">
      <Avatar face={faceOf(profile.id, profile)} size={72} />
      <PickFiles
        accept={["image/jpeg", "image/png", "image/webp", "image/avif"]}
        onPick={([file]) => {
          if (file) save.mutate(file);
        }}
      >
        {(open) => (
          <Button busy={save.isPending} onPress={open}>
            {meWords().picture}
          </Button>
        )}
      </PickFiles>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
    </div>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const { display_name, diets, diets_known, budget, time_zone } = profile;
  const [draft, setDraft] = useState<ProfileChange>({ display_name, diets, diets_known, budget, time_zone });
  const words = meWords();
  const [asked, setAsked] = useState(false);
  const problem = asked ? problemWith(displayName, draft.display_name) : undefined;
  const save = useChange(() =>
    saveProfile(profile.id, { ...draft, display_name: draft.display_name.trim() }),
  );
  return (
    <Form
      noValidate
      className="paper flex flex-col gap-5 p-5"
      submit={() => {
        setAsked(true);
        if (displayName.safeParse(draft.display_name).success) save.mutate();
      }}
    >
      <Field
        label={words.name}
        value={draft.display_name}
        onChange={(name) => setDraft({ ...draft, display_name: name })}
        problem={problem}
      />
      <div className="flex flex-col gap-2">
        <p className="text-sm font-semibold">{words.diets}</p>
        <DietChoice
          diets={draft.diets}
          known={draft.diets_known}
          onChange={(diets, known) => setDraft({ ...draft, diets, diets_known: known })}
        />
        <p className="text-sm text-ink-soft">{words.dietsHelp}</p>
      </div>
      <RadioGroup
        orientation="horizontal"
        value={String(draft.budget)}
        onChange={(value) => setDraft({ ...draft, budget: Number(value) })}
        className="flex flex-col gap-2"
      >
        <Label className="text-sm font-semibold">{words.budget}</Label>
        <div className="flex gap-2">
          {[1, 2, 3, 4].map((level) => (
            <Radio
              key={level}
              value={String(level)}
              aria-label={placeWords().priceLevel(level)}
              className="numerals grid min-h-11 flex-1 cursor-pointer place-items-center rounded-s border border-edge data-[selected]:border-transparent data-[selected]:bg-ink data-[selected]:text-card"
            >
              <PriceMarks level={level} />
            </Radio>
          ))}
        </div>
      </RadioGroup>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      <div className="flex items-center gap-3">
        <Button type="submit" look="action" busy={save.isPending}>
          {words.save}
        </Button>
        <p role="status" className="text-sm text-yes">
          {save.isSuccess ? words.saved : ""}
        </p>
      </div>
    </Form>
  );
}

function ThemeChoice() {
  const words = meWords().appearance;
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <Pills
      title={words.title}
      value={theme}
      options={(["system", "light", "dark"] as const).map((each) => [each, words[each]] as const)}
      onChange={(next) => {
        applyTheme(next);
        setTheme(next);
      }}
    />
  );
}
