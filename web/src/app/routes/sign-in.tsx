/** Owns: the ways in: password, a code by mail, a new account, or a name as a guest. */
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { displayName } from "../../features/people/schema.ts";
import { CodeForm } from "../../features/session/components/code-form.tsx";
import {
  sendCode,
  signInAsGuest,
  signInWithPassword,
  signUp,
  verifyCode,
} from "../../features/session/mutations.ts";
import { useTitle } from "../../lib/title.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { ErrorNotice } from "../../ui/notice.tsx";

const route = getRouteApi("/sign-in");
const tab =
  "min-h-11 flex-1 cursor-pointer border-b-2 border-transparent px-1 py-2 text-center text-sm font-semibold text-ink-soft  data-[selected]:border-action data-[selected]:text-ink";
const form = "flex flex-col gap-4 pt-5";

export function SignIn() {
  useTitle("Sign in");
  const { next } = route.useSearch();
  const router = useRouter();
  const goOn = () => router.history.push(next ?? "/home");
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10">
      <Link to="/" className="numerals text-lg font-semibold">
        Nosh
      </Link>
      <h1 className="text-xl">Take your seat</h1>
      {next ? <p className="text-ink-soft">You come back to where you were going.</p> : null}
      <Tabs className="paper p-4 sm:p-5">
        <TabList aria-label="How to sign in" className="flex border-b border-line">
          <Tab id="password" className={tab}>
            Password
          </Tab>
          <Tab id="code" className={tab}>
            Code
          </Tab>
          <Tab id="new" className={tab}>
            Sign up
          </Tab>
          <Tab id="guest" className={tab}>
            Guest
          </Tab>
        </TabList>
        <TabPanel id="password">
          <PasswordForm goOn={goOn} />
        </TabPanel>
        <TabPanel id="code">
          <CodeForm
            className={form}
            send={(email) => sendCode(email, next ?? "/home")}
            check={verifyCode}
            onChecked={goOn}
            words={{ send: "Send me a code", check: "Sign in" }}
          />
        </TabPanel>
        <TabPanel id="new">
          <NewForm goOn={goOn} />
        </TabPanel>
        <TabPanel id="guest">
          <GuestForm goOn={goOn} />
        </TabPanel>
      </Tabs>
    </main>
  );
}

function PasswordForm({ goOn }: { goOn: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const enter = useMutation({ mutationFn: () => signInWithPassword(email, password), onSuccess: goOn });
  return (
    <form
      className={form}
      onSubmit={(event) => {
        event.preventDefault();
        enter.mutate();
      }}
    >
      <Field label="Email" type="email" autoComplete="email" value={email} onChange={setEmail} isRequired />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
      />
      {enter.isError ? <ErrorNotice error={enter.error} /> : null}
      <Button type="submit" look="action" busy={enter.isPending}>
        Sign in
      </Button>
      <Link
        to="/reset-password"
        className="self-start text-sm font-semibold text-action underline-offset-4 hover:underline"
      >
        Forgot it?
      </Link>
    </form>
  );
}

function NewForm({ goOn }: { goOn: () => void }) {
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
        We sent a mail to {email}. Confirm the address with it, and your seat is ready.
      </p>
    );
  }
  return (
    <form
      className={form}
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Field
        label="Your name"
        autoComplete="name"
        maxLength={40}
        value={name}
        onChange={setName}
        isRequired
      />
      <Field label="Email" type="email" autoComplete="email" value={email} onChange={setEmail} isRequired />
      <Field
        label="Password"
        help="At least eight characters."
        type="password"
        autoComplete="new-password"
        minLength={8}
        value={password}
        onChange={setPassword}
        isRequired
      />
      {make.isError ? <ErrorNotice error={make.error} /> : null}
      <Button type="submit" look="action" busy={make.isPending}>
        Make an account
      </Button>
    </form>
  );
}

function GuestForm({ goOn }: { goOn: () => void }) {
  const [name, setName] = useState("");
  const [asked, setAsked] = useState(false);
  const problem = asked ? displayName.safeParse(name).error?.issues[0]?.message : undefined;
  const enter = useMutation({ mutationFn: () => signInAsGuest(name.trim()), onSuccess: goOn });
  return (
    <form
      className={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (displayName.safeParse(name).success) enter.mutate();
      }}
    >
      <Field
        label="Your name"
        help="A guest joins plans by link. Add an address later to keep everything."
        autoComplete="name"
        value={name}
        onChange={setName}
        problem={problem}
      />
      {enter.isError ? <ErrorNotice error={enter.error} /> : null}
      <Button type="submit" look="action" busy={enter.isPending}>
        Go in as a guest
      </Button>
    </form>
  );
}
