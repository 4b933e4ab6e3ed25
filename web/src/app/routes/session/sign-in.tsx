/** Owns: the ways in: password, a code by mail, a new account, a name as a guest, or another service. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { GuestForm } from "../../../features/invites/components/guest-form.tsx";
import { previewQuery } from "../../../features/invites/preview.ts";
import { CodeForm } from "../../../features/session/components/code-form.tsx";
import { NewPasswordField } from "../../../features/session/components/new-password-field.tsx";
import { SecondFactorForm } from "../../../features/session/components/second-factor-form.tsx";
import {
  sendCode,
  signInWithPassword,
  signInWithProvider,
  signUp,
  verifyCode,
} from "../../../features/session/mutations.ts";
import { needsSecondFactor } from "../../../features/session/needs-second-factor.ts";
import { type Provider, providerNames, sessionQueries } from "../../../features/session/queries.ts";
import { useSession } from "../../../features/session/session.tsx";
import { sessionWords } from "../../../features/session/words.ts";
import { guestToMove } from "../../../lib/device/guest-to-move.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { EmailField, Field } from "../../../ui/fields/field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { LanguageChoice } from "../../language-choice.tsx";

const route = getRouteApi("/sign-in");
const tab =
  "flex min-h-11 flex-1 cursor-pointer items-center justify-center border-b-2 border-transparent px-1 py-2 text-center text-sm font-semibold text-ink-soft data-[selected]:border-action data-[selected]:text-ink";
const form = "flex flex-col gap-4 pt-5";

export function SignIn() {
  const words = sessionWords();
  const { next, why } = route.useSearch();
  const router = useRouter();
  const session = useSession();
  // Set for a guest who already has an account: once they sign in, their plans move there.
  const [moving] = useState(guestToMove);
  const owes = session !== null && needsSecondFactor(session);
  useTitle(owes ? words.secondFactor.title : words.signIn.title);
  // While a second factor is owed, this screen asks for it instead of going on.
  const goOn = () => {
    if (!moving || isHere(router)) router.history.push(next ?? "/home");
  };
  // The link in the mail opens another tab, but the guest to move is known in this tab only.
  const signedIn = session !== null && !session.user.is_anonymous && !owes;
  useEffect(() => {
    if (moving && signedIn && isHere(router)) router.history.replace(next ?? "/home");
  }, [moving, signedIn, router, next]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      <div className="flex items-center justify-between gap-3">
        <Link to="/" className="numerals text-lg font-semibold">
          Nosh
        </Link>
        <LanguageChoice />
      </div>
      <h1 className="text-xl">{owes ? words.secondFactor.heading : words.signIn.heading}</h1>
      {moving ? (
        <p className="paper border-l-4 border-l-glow p-4">{words.signIn.moving(moving.email)}</p>
      ) : (
        <>
          <Reason next={next} why={why} />
          {session?.user.is_anonymous ? <GuestStaysBehind /> : null}
        </>
      )}
      {owes ? (
        <SecondFactorForm className="paper flex flex-col gap-4 p-5" onProven={goOn} />
      ) : (
        <Ways next={next} goOn={goOn} movingTo={moving?.email} />
      )}
      {moving && session?.user.is_anonymous ? (
        <ButtonLink to="/me" look="plain">
          {words.signIn.stayGuest}
        </ButtonLink>
      ) : null}
    </main>
  );
}

function isHere(router: { history: { location: { pathname: string } } }): boolean {
  return router.history.location.pathname === "/sign-in";
}

/** The reason for this page: the screen that was asked for, and why it did not open. */
function Reason({ next, why }: { next: string | undefined; why: "ended" | "expired" | undefined }) {
  const words = sessionWords().signIn;
  const session = useSession();
  const [, screen, id] = /^\/(plans|circles|join)\/([\w-]+)/.exec(next ?? "") ?? [];
  const invited = screen === "join" && id !== undefined;
  const invite = useQuery({ ...previewQuery(id ?? "", session?.user.id ?? null), enabled: invited });
  const asked = askedText(screen, id, invite.data?.title);
  const text = [why && words.why[why], asked ?? (next && words.back)].filter((part) => part).join(" ");
  return text ? <p className="text-ink-soft">{text}</p> : null;
}

function askedText(
  screen: string | undefined,
  id: string | undefined,
  title: string | undefined,
): string | undefined {
  const words = sessionWords().signIn.asked;
  if (screen === "join") return title && words.join(title);
  if (screen === "circles") return words.circle;
  if (screen === "plans") return id === "new" ? words.newPlan : words.plan;
  return undefined;
}

/** For a guest who is about to sign in to an account, which would not have their seats. */
function GuestStaysBehind() {
  const words = sessionWords().signIn;
  return (
    <div className="paper flex flex-col items-start gap-2 border-l-4 border-l-maybe p-4">
      <p>{words.staysBehind}</p>
      <ButtonLink to="/me" look="plain" className="-ml-2">
        {words.takeAlong}
      </ButtonLink>
    </div>
  );
}

/** @param movingTo the address of the account that a guest moves into; signing up is not offered then */
function Ways({
  next,
  goOn,
  movingTo,
}: {
  next: string | undefined;
  goOn: () => void;
  movingTo: string | undefined;
}) {
  const words = sessionWords().signIn;
  return (
    <>
      <Tabs className="paper p-4 sm:p-5" defaultSelectedKey={movingTo ? "code" : "password"}>
        <TabList aria-label={words.ways} className="flex border-b border-line">
          <Tab id="password" className={tab}>
            {words.byPassword}
          </Tab>
          <Tab id="code" className={tab}>
            {words.byCode}
          </Tab>
          {movingTo ? null : (
            <>
              <Tab id="new" className={tab}>
                {words.signUp}
              </Tab>
              <Tab id="guest" className={tab}>
                {words.guest}
              </Tab>
            </>
          )}
        </TabList>
        <TabPanel id="password">
          <PasswordForm goOn={goOn} email={movingTo} />
        </TabPanel>
        <TabPanel id="code">
          <CodeForm
            className={form}
            send={(email) => sendCode(email, next ?? "/home")}
            check={verifyCode}
            onChecked={goOn}
            email={movingTo ?? ""}
            words={{ send: words.sendCode, check: words.enter }}
          />
        </TabPanel>
        {movingTo ? null : (
          <>
            <TabPanel id="new">
              <NewForm goOn={goOn} />
            </TabPanel>
            <TabPanel id="guest">
              <GuestForm className={form} help={words.guestHelp} go={words.enterAsGuest} onIn={goOn} />
            </TabPanel>
          </>
        )}
      </Tabs>
      <Providers next={next ?? "/home"} />
    </>
  );
}

/** Buttons for the configured providers; none if the settings cannot be read. */
function Providers({ next }: { next: string }) {
  const words = sessionWords().signIn;
  const providers = useQuery(sessionQueries.providers());
  const go = useMutation({ mutationFn: (provider: Provider) => signInWithProvider(provider, next) });
  if (!providers.data?.length) return null;
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-3 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {words.or}
      </p>
      {providers.data.map((provider) => (
        <Button
          key={provider}
          busy={go.isPending && go.variables === provider}
          onPress={() => go.mutate(provider)}
        >
          {words.withProvider(providerNames[provider])}
        </Button>
      ))}
      {go.isError ? <ErrorNotice error={go.error} /> : null}
    </div>
  );
}

function PasswordForm({ goOn, email: known = "" }: { goOn: () => void; email: string | undefined }) {
  const words = sessionWords();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const enter = useMutation({ mutationFn: () => signInWithPassword(email, password), onSuccess: goOn });
  return (
    <Form className={form} submit={() => enter.mutate()}>
      <EmailField label={words.email} value={email} onChange={setEmail} />
      <Field
        label={words.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      <Submit of={enter}>{words.signIn.enter}</Submit>
      <Link
        to="/reset-password"
        className="self-start py-1 text-sm font-semibold text-action underline-offset-4 hover:underline"
      >
        {words.signIn.forgot}
      </Link>
    </Form>
  );
}

function NewForm({ goOn }: { goOn: () => void }) {
  const words = sessionWords();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const make = useMutation({
    mutationFn: () => signUp(email, password, name.trim()),
    onSuccess: ({ needsConfirmation }) => {
      if (!needsConfirmation) goOn();
    },
  });
  if (make.data?.needsConfirmation) {
    return (
      <p role="status" className="pt-5">
        {words.signIn.confirmAddress(email)}
      </p>
    );
  }
  return (
    <Form className={form} submit={() => make.mutate()}>
      <Field
        label={words.yourName}
        autoComplete="name"
        maxLength={40}
        value={name}
        onChange={setName}
        isRequired
      />
      <EmailField label={words.email} value={email} onChange={setEmail} />
      <NewPasswordField label={words.password} value={password} onChange={setPassword} />
      <Submit of={make}>{words.signIn.makeAccount}</Submit>
    </Form>
  );
}
