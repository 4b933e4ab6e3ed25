/** Owns: the words of getting in, of staying, and of leaving, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const sessionWords = defineWords("session", {
  email: "Email",
  password: "Password",
  newPassword: "New password",
  passwordRule: "At least eight characters.",
  yourName: "Your name",
  signIn: {
    title: "Sign in",
    heading: "Take your seat",
    back: "You come back to where you were going.",
    ways: "How to sign in",
    byPassword: "Password",
    byCode: "Code",
    signUp: "Sign up",
    guest: "Guest",
    enter: "Sign in",
    forgot: "Forgot it?",
    sendCode: "Send me a code",
    makeAccount: "Make an account",
    confirmAddress: (email: string) =>
      `We sent a mail to ${email}. Confirm the address with it, and your seat is ready.`,
    guestHelp: "A guest joins plans by link. Add an address later to keep everything.",
    enterAsGuest: "Go in as a guest",
    or: "or",
    withProvider: (provider: string) => `Go on with ${provider}`,
  },
  secondFactor: {
    title: "One more step",
    heading: "One more step",
    text: "Your account asks for the six digits that your authenticator app shows now.",
    digits: "Six digits from your app",
    enter: "Go on",
    leave: "Sign in as someone else",
  },
  code: {
    digits: "Six digits from the mail",
    help: "Or use the link in it, on this device.",
    otherAddress: "Another address",
  },
  callback: {
    failed: "This link no longer works",
    why: "It was used already, is too old, or was opened on another device than it was asked on.",
    askAgain: "Ask for a new one",
    waiting: "Finding your seat",
  },
  reset: {
    title: "A new password",
    choose: "Choose a new password",
    forgot: "Forgot your password?",
    keepOld: "Keep the old one",
    backToSignIn: "Back to signing in",
    sendMail: "Send me a mail",
    goOn: "Go on",
    sent: "If there is an account for this address, a mail is on its way.",
    whose: (email: string) => `For ${email}. Your other devices are signed out.`,
    save: "Set this password",
  },
  account: {
    label: "Account",
    heading: "Your account",
    signedInAs: (email: string) => `Signed in as ${email}.`,
    changePassword: "Change password",
    signOutElsewhere: "Sign out everywhere else",
    onlyHere: "Only this device is signed in now.",
  },
  keep: {
    heading: "Keep your seat",
    text: "You are here as a guest on this device. Add an address and everything stays yours: your seats, your votes, what you said.",
    add: "Add this address",
    sent: (email: string) =>
      `We sent a mail to ${email}. Follow the link in it, or type its six digits here, and the address is yours.`,
    done: "The address is yours, and so is everything you did as a guest.",
    confirm: "This is mine",
  },
  data: {
    heading: "Your data",
    text: "One file with everything that is kept about you, to read or to take along.",
    take: "Export my data",
    saved: "Saved as nosh-export.json.",
    delete: "Delete my account",
    leaveTitle: "Leave for good?",
    leaveText:
      "Your profile, votes, seats and saved places go at once, and nothing brings them back. What you gave to a table, messages and photos, stays there without your name.",
    leaveOthers: "Plans and circles that you look after pass to somebody else at the table.",
    stay: "Stay",
  },
});

export type SessionWords = ReturnType<typeof sessionWords>;
