/** Owns: the words of inviting, joining, moving into an account, and using another device, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const inviteWords = defineWords("invites", {
  invite: "Invite",
  title: "Invite",
  first: { heading: "Invite your friends", make: "Get a link" },
  link: {
    heading: "By link",
    text: {
      plan: "Anyone with the link can join this plan. A name is enough, no account needed.",
      circle: "Anyone with the link can join this circle. They'll need an account.",
    },
    days: "Works for",
    daysOf: (days: number) => plural(days, { one: "# day", other: "# days" }),
    uses: "For up to",
    usesOf: (uses: number) => plural(uses, { one: "# person", other: "# people" }),
    make: "Create link",
    another: "Get a new link",
    stays: "Links you've already shared keep working until they expire or you revoke them.",
    field: "Invite link",
    shareText: "Join me on Nosh:",
  },
  active: {
    heading: "Active links",
    used: (uses: number, most: number) => `used ${uses} of ${most}`,
    until: (when: string) => `until ${when}`,
    madeAt: (when: string) => `Created ${when}`,
    revoke: "Revoke",
    revokeOne: (when: string) => `Revoke the link from ${when}`,
    revoked: "Link revoked. Nobody can use it any more.",
  },
  mail: {
    heading: "By email",
    text: "Each person gets their own link, which works once.",
    field: "Email addresses",
    help: "Separate addresses with commas or spaces.",
    takeOff: (address: string) => `Remove ${address}`,
    bad: (address: string) => `${address} isn't a valid email address.`,
    send: (count: number) =>
      count === 0
        ? "Send invitations"
        : plural(count, { one: "Send # invitation", other: "Send # invitations" }),
    outcomes: {
      waiting: "will be sent in a moment",
      not_sent: "has opted out; share a link instead",
    },
    notSetUp: { message: "Nosh can't send email here.", hint: "Share a link instead." },
    outcome: (address: string, outcome: string) => `${address}: ${outcome}`,
  },
  join: {
    title: (plan: string) => `Invitation: ${plan}`,
    untitled: "Invitation",
    loading: "the invitation",
    friend: "A friend",
    invitesYou: (host: string) => `${host} invites you to`,
    there: (people: number) =>
      plural(people, { one: "# person has joined.", other: "# people have joined." }),
    open: "When and where are still open.",
    offered: {
      when: "When",
      where: "Where",
      more: (count: number) => `${count} more`,
      atHome: "at someone's home",
    },
    whatItIs: "Nosh: agree when and where to eat",
    fixed: (when: string | null) => (when ? `Decided: ${when}.` : "When and where are decided."),
    you: "You",
    yourSeat: "have a seat waiting",
    name: "Your name",
    nameHelp: "That's all we need. No account, no email.",
    take: "Take a seat",
    haveAccount: "I have an account",
    /** A person at the table has the name that was typed. */
    taken: {
      question: (name: string) => `${name} is already at the table. Is that you?`,
      several: (name: string) => `More than one person here is called ${name}.`,
      guest: (host: string) =>
        `If you joined on another device, ask for your seat here. You can say yes on that device, or ${host} can.`,
      account: (name: string) => `That ${name} has an account. Sign in, and you're back at the table.`,
      severalText: "If you were here before, ask the host for help.",
      ask: "Yes, ask for my seat",
      signIn: "Yes, sign in",
      other: "No, use another name",
      initial: "Add an initial, so people can tell you apart.",
    },
    needsAccount: "You need an account to join a circle.",
    signInOrUp: "Sign in or sign up",
    inAs: (name: string) => `Joining as ${name}.`,
    whatIsNosh: "What is Nosh?",
    toYourPlans: "Go to your plans",
    tryAgain: "Try again",
    askingAs: (name: string) => `Asking as ${name}.`,
    /** Why joining is refused, by the refusal's code, and the way on. */
    closed: {
      plan_not_found: {
        title: "There's no plan at this address",
        text: "Check that you copied the whole link, or ask the host for a new one.",
      },
      removed_before: {
        title: "You're not on this plan",
        text: "You were removed from it. The host can send you an invite link.",
      },
      invite_not_found: {
        title: "This link doesn't work",
        text: "Check that you copied the whole link. If you did, ask for a new one.",
      },
      invite_expired: {
        title: "This link has expired",
        text: "Links last two weeks at most. Ask the person who sent it for a new one.",
      },
      invite_used_up: {
        title: "This link is used up",
        text: "It was for a limited number of people, and all have joined. Ask for a new one.",
      },
      invite_revoked: {
        title: "This link was revoked",
        text: "Ask the person who sent it for a new one.",
      },
      plan_full: {
        title: "The table is full",
        text: "It already has 20 people, the most a plan can have. If someone leaves, this link works again.",
      },
      circle_full: {
        title: "The circle is full",
        text: "It already has 50 people, the most a circle can have.",
      },
      plan_cancelled: {
        title: "This plan is cancelled",
        text: "If the host restores it, this link works again.",
      },
      plan_over: {
        title: "This plan is over",
        text: "Ask the person who invited you about the next one.",
      },
    } as Record<string, { title: string; text: string }>,
  },
  /** The plan's own link: for others, and for its hosts. */
  planLink: {
    hostedBy: (host: string) => `Hosted by ${host}`,
    ask: "Ask to join",
    askHelp: (host: string) => `${host} will see your name and decide. No account, no email.`,
    wasHere: "I've joined before: ask for my seat",
    asked: {
      title: "You've asked to join",
      text: (host: string) =>
        `Once ${host} lets you in, the plan opens here. You can close this page and come back on this device.`,
    },
    declined: {
      title: "You weren't let in",
      text: (host: string) => `If that was a mistake, ask again. ${host} can also let you in later.`,
    },
    refused: {
      title: "You weren't let in",
      text: (host: string) =>
        `You've asked as often as you can. ${host} can still let you in, or send you an invite link.`,
    },
    moved: {
      title: "Your seat moved to another device",
      text: (host: string) => `Open the plan there. If you didn't want this, tell ${host}.`,
    },
    askAgain: "Ask again",
    heading: "The plan's own link",
    text: "It never expires. People on the plan see the plan. Others see its name, the host's first name and how many have joined, and can ask to join.",
    field: "Plan link",
    copy: "Copy plan link",
    open: "Others can join with a name, without asking",
  },
  requests: {
    heading: "Asking to join",
    note: "Anyone with the plan's link can ask. Let in people you know.",
    letIn: "Let in",
    letInWhom: (name: string) => `Let in ${name}`,
    decline: "Decline",
    declineWhom: (name: string) => `Decline ${name}`,
    isIn: (name: string) => `${name} has joined.`,
    declined: (name: string) => `You declined ${name}. You can still let them in.`,
    earlier: "Declined",
    /** Of a person who says that they are at the table already, on a device that they lost. */
    seat: {
      asks: (name: string) => `${name} is asking for their seat, on another device.`,
      note: (name: string) =>
        `Not sure it's ${name}? Ask them first. Only the seat at this plan moves, and the old device leaves the plan.`,
      move: "Move the seat",
      moveWhose: (name: string) => `Move the seat of ${name}`,
      moved: (name: string) => `The seat of ${name} has moved.`,
      ownHeading: "Is that you on another device?",
      own: "Another device is asking for your seat.",
      ownNote:
        "If you say yes, your seat at this plan moves there, and this device leaves the plan. To use both, create a personal link under Me instead.",
      ownMove: "Yes, move my seat",
      ownDecline: "No, that's not me",
      ownDeclined: "Your seat stays on this device.",
    },
  },
  move: {
    taken: (email: string) =>
      `${email} already has an account. Sign in, and your plans on this device will move to it.`,
    signIn: "Sign in and move my plans",
    heading: "Your plans as a guest",
    moving: "Moving your plans here",
    ask: (email: string) =>
      `You're signed in as ${email}. Move your guest plans, votes and messages from this device to this account? This can't be undone.`,
    move: "Move my plans",
    later: "Not now",
    moved: (plans: number) =>
      plans === 0
        ? "You had no plans as a guest. Everything else has moved here."
        : plural(plans, { one: "# plan moved here.", other: "# plans moved here." }),
    used: "Your plans may have moved already. If any are missing, add your email again on the device where you were a guest.",
    show: "Show my plans",
  },
  keep: {
    host: "Make sure you can come back",
    hostTitle: "Your way back",
    hostText:
      "You're hosting with a name only, so you can open your plan as host on this device only. Add your email, or save a personal link.",
    leaveTitle: "Sign out and lose your seat?",
    leaveText:
      "You're here with a name only. Once you sign out, you can't get back to your plans as you, unless you add your email or save a personal link first.",
    leave: "Sign out",
    stay: "Stay signed in",
  },
  personal: {
    heading: "Personal link",
    text: "It brings you back to your plans, here or on another device, once, within a week. Don't share it: anyone who has it can act as you.",
    account: "To use Nosh on another device, sign in there.",
    make: "Create my link",
    another: "Create a new link",
    field: "My personal link",
    replaces: "A new link replaces the old one.",
    revoke: "Revoke my link",
    revoked: "Your personal links no longer work. Devices they opened are signed out, except this one.",
    until: (when: string) => `Works until ${when}.`,
    offer: {
      name: "Another device",
      ask: "Do you have another phone or computer?",
      open: "Open it on another phone",
    },
    open: {
      title: "Your seat, on this device",
      text: "With this link, you're the same guest here as on the device where you created it.",
      go: "Continue",
      replaces: (name: string) =>
        `${name} is signed in on this device. If you continue, they'll be signed out here.`,
      replacesGuest: (name: string) =>
        `You're the guest ${name} on this device. If you continue, you lose that guest for good, unless you added an email.`,
      stay: "Cancel",
    },
  },
});

export type InviteWords = ReturnType<typeof inviteWords>;
