/** Owns: the words of inviting, of being invited, and of coming along to another device, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const inviteWords = defineWords("invites", {
  invite: "Invite",
  title: "Invite",
  link: {
    heading: "By link",
    text: {
      plan: "Whoever has the link takes a seat at this plan. A name is enough, no account needed.",
      circle: "Whoever has the link joins this circle. A circle stays, so it needs an account.",
    },
    days: "Works for",
    daysOf: (days: number) => plural(days, { one: "# day", other: "# days" }),
    uses: "For",
    usesOf: (uses: number) => plural(uses, { one: "# person", other: "# people" }),
    make: "Make a link",
    another: "Make another",
    field: "The link",
    copy: "Copy it",
    copied: "Copied",
    inClipboard: "The link is in your clipboard.",
    notCopied: "This browser does not let us copy. Mark the link and copy it by hand.",
    share: "Send it on",
    shareText: "Take a seat:",
  },
  out: {
    heading: "Links that are out",
    used: (uses: number, most: number) => `used ${uses} of ${most}`,
    until: (when: string) => `until ${when}`,
    madeAt: (when: string) => `From ${when}`,
    withdraw: "Withdraw",
    withdrawOne: (when: string) => `Withdraw the link from ${when}`,
    withdrawn: "Nobody can use that link any more.",
  },
  mail: {
    heading: "By mail",
    text: "Each address gets a mail with a link of its own that works once.",
    field: "Addresses",
    help: "Enter, a comma or a space takes one over.",
    takeOff: (address: string) => `Take ${address} off`,
    bad: (address: string) => `${address} is not an address we can send to.`,
    send: (count: number) => plural(count, { one: "Send # invitation", other: "Send # invitations" }),
    outcomes: {
      sent: "is sent",
      waiting: "will be sent in a moment",
      not_sent: "wants no invitations by mail; hand over a link instead",
    },
    outcome: (address: string, outcome: string) => `${address}: ${outcome}`,
  },
  join: {
    title: (plan: string) => `Invitation: ${plan}`,
    untitled: "Invitation",
    loading: "the invitation",
    friend: "A friend",
    invitesYou: (host: string) => `${host} invites you to`,
    there: (people: number) =>
      plural(people, { one: "# person is there already.", other: "# people are there already." }),
    open: "When and where is still open.",
    fixed: "When and where is fixed.",
    isThere: "is there",
    you: "You",
    yourSeat: "have a free seat",
    name: "Your name",
    nameHelp: "That is all. No account, no mail.",
    take: "Take a seat",
    haveAccount: "I have an account",
    needsAccount: "A circle stays, so it needs an account.",
    signInOrUp: "Sign in or sign up",
    inAs: (name: string) => `You sit down as ${name}.`,
    whatIsNosh: "What is Nosh?",
    toYourPlans: "To your plans",
    tryAgain: "Try again",
    /** Why there is no seat, by the refusal's code, and what can be done. */
    closed: {
      invite_not_found: {
        title: "This link leads nowhere",
        text: "Check that the whole link was copied. If it was, ask for a new one.",
      },
      invite_expired: {
        title: "This link has run out",
        text: "Links work for two weeks at most. Whoever sent it can make a new one in a moment.",
      },
      invite_used_up: {
        title: "Every seat of this link is taken",
        text: "It was for a few people, and they came. Ask for another link.",
      },
      invite_revoked: {
        title: "This link was withdrawn",
        text: "Whoever sent it took it back. Ask them, there may be a new one.",
      },
      plan_full: {
        title: "The table is full",
        text: "Twenty people are at it, which is the most there can be. If a seat becomes free, this link works again.",
      },
      circle_full: {
        title: "The circle is full",
        text: "Fifty people are in it, which is the most there can be.",
      },
      plan_cancelled: {
        title: "This plan is cancelled",
        text: "Nobody is going. If the host brings it back, this link works again.",
      },
      plan_over: {
        title: "This dinner is over",
        text: "There will be another one. Ask whoever invited you.",
      },
    } as Record<string, { title: string; text: string }>,
  },
  personal: {
    heading: "You on another device",
    text: "You are here as a guest, on this device only. With your personal link you are the same guest on another one. It works for a week, and it is you: do not pass it on.",
    make: "Make my link",
    another: "Make a new one",
    field: "My personal link",
    replaces: "A new link ends the one before.",
    until: (when: string) => `Works until ${when}.`,
    open: {
      title: "Your seat, on this device",
      text: "This link makes you the same guest here as on the device where you made it.",
      go: "Go on as myself",
      replaces: (name: string) => `On this device ${name} is signed in. Going on signs them out here.`,
      replacesGuest: (name: string) =>
        `On this device you are the guest ${name}. Going on leaves that guest behind, and without an address there is no way back to it.`,
      stay: "Stay as I am",
    },
  },
});

export type InviteWords = ReturnType<typeof inviteWords>;
