/** Owns: the words of signing in, of the account and of leaving, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const sessionWords = defineWords("session", {
  email: "Email",
  password: "Password",
  newPassword: "New password",
  passwordRule: "At least 8 characters.",
  yourName: "Your name",
  signIn: {
    title: "Sign in",
    heading: "Take your seat",
    back: "You'll go straight back to where you were.",
    why: {
      ended: "You've been signed out on this device.",
      expired: "That link has expired or was already used.",
    },
    asked: {
      plan: "Sign in to open this plan. If you were sent an invite link, open that instead: a name is enough.",
      circle: "Sign in to open this circle.",
      newPlan: "Sign in to plan a meal. As a guest, a name is enough.",
      join: (title: string) => `Sign in to join “${title}”.`,
    },
    staysBehind:
      "You're a guest on this device. If you sign in here, your guest plans stay behind, and you can't get back to them.",
    takeAlong: "Move my plans",
    ways: "How to sign in",
    byPassword: "Password",
    byCode: "Code",
    signUp: "Sign up",
    guest: "Guest",
    enter: "Sign in",
    forgot: "Forgot password?",
    sendCode: "Send code",
    makeAccount: "Create account",
    confirmAddress: (email: string) =>
      `We sent an email to ${email}. Open the link in it to confirm your address.`,
    guestHelp:
      "As a guest, you can join plans with a link and host your own. Add your email later to keep everything.",
    enterAsGuest: "Continue as guest",
    moving: (email: string) => `Sign in as ${email} to move your plans from this device.`,
    stayGuest: "Stay a guest",
    or: "or",
    withProvider: (provider: string) => `Continue with ${provider}`,
  },
  start: {
    title: "Plan a meal",
    heading: "Who's inviting?",
    help: "Your friends see this name. No account needed; you can add an email address later.",
    go: "Continue",
    haveAccount: "I have an account",
  },
  secondFactor: {
    title: "Two-step verification",
    heading: "One more step",
    text: "Enter the six-digit code from your authenticator app.",
    digits: "Code from your app",
    enter: "Continue",
    leave: "Use another account",
  },
  code: {
    digits: "Code from the email",
    help: "Or open the link in the email on this device.",
    otherAddress: "Use another address",
  },
  callback: {
    failed: "This link no longer works",
    why: "It has been used, has expired, or was opened on a different device than the one you asked from.",
    askAgain: "Get a new one",
    waiting: "Signing you in",
  },
  reset: {
    title: "New password",
    choose: "Choose a new password",
    forgot: "Forgot your password?",
    keepOld: "Keep current password",
    backToSignIn: "Back to sign in",
    sendMail: "Send email",
    goOn: "Continue",
    sent: "If this address has an account, an email is on its way.",
    whose: (email: string) => `For ${email}. Your other devices will be signed out.`,
    save: "Save password",
  },
  account: {
    label: "Account",
    heading: "Your account",
    signedInAs: (email: string) => `Signed in as ${email}.`,
    changePassword: "Change password",
    signOutElsewhere: "Sign out on other devices",
    onlyHere: "You're now signed in only on this device.",
  },
  keep: {
    heading: "Keep your seat",
    text: "You're a guest on this device. Add your email to keep your plans, votes and messages.",
    add: "Add email",
    sent: (email: string) => `We sent an email to ${email}. Enter the six-digit code here.`,
    done: "Email confirmed. Everything you did as a guest is yours.",
    confirm: "Confirm email",
  },
  data: {
    heading: "Your data",
    text: "Download everything we store about you as one file.",
    take: "Export my data",
    saved: "Saved as nosh-export.json.",
    leave: {
      delete: "Delete my account",
      title: "Delete your account?",
      text: "Your profile, votes, RSVPs and saved places are deleted right away, for good. Your messages and photos stay on their plans without your name.",
      others:
        "If you host a plan, someone on it who has an account takes over. If nobody has one, it's cancelled. A circle you own passes to someone else in it.",
      stay: "Keep my account",
    },
    /** The same to a guest, who has no account. */
    leaveAsGuest: {
      delete: "Delete my name and answers",
      title: "Delete your name and answers?",
      text: "You leave all your plans. Your name, votes and RSVPs are deleted right away, for good. Your messages and photos stay on the plans without your name.",
      others:
        "If you host a plan, someone on it who has an account takes over. If nobody has one, it's cancelled.",
      stay: "Keep everything",
    },
  },
});

export type SessionWords = ReturnType<typeof sessionWords>;
