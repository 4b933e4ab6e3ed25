/** Owns: the words for times and errors, in English. */
import { defineWords, plural } from "./i18n/words.ts";

export const timeWords = defineWords("time", {
  /** The viewer's local time, next to the plan's. */
  yours: (time: string) => `yours ${time}`,
  length: (hours: number, minutes: number) =>
    hours === 0
      ? `${minutes} min`
      : minutes % 30 === 0
        ? plural(hours + minutes / 60, { one: "# hour", other: "# hours" })
        : `${hours} h ${minutes} min`,
  now: "now",
  inMinutes: (minutes: number) => `in ${minutes} min`,
  minutesAgo: (minutes: number) => `${minutes} min ago`,
  inHours: (hours: number) => `in ${hours} h`,
  hoursAgo: (hours: number) => `${hours} h ago`,
  tomorrow: "tomorrow",
  yesterday: "yesterday",
  inDays: (days: number) => plural(days, { one: "in # day", other: "in # days" }),
  daysAgo: (days: number) => plural(days, { one: "# day ago", other: "# days ago" }),
  /** Cities that browsers name a zone by, and people write in another way. */
  cities: {
    Calcutta: "Kolkata",
    Katmandu: "Kathmandu",
    Kiev: "Kyiv",
    Saigon: "Ho Chi Minh City",
  } as Readonly<Record<string, string>>,
});

/** The message of an error, and the advice. */
export interface ErrorText {
  message: string;
  hint: string;
}

export const errorWords = defineWords("errors", {
  offline: {
    message: "We can't reach Nosh.",
    hint: "Check your connection and try again in a moment.",
  },
  forbidden: {
    message: "You don't have permission to do that.",
    hint: "Ask the host, or sign in with another account.",
  },
  duplicate: { message: "That already exists.", hint: "Reload to see it." },
  invalid: { message: "Something you entered isn't valid.", hint: "Check it and try again." },
  unreadablePicture: {
    message: "We can't read that photo.",
    hint: "Choose a JPEG, PNG, WebP or AVIF photo.",
  },
  unexpected: {
    message: "Something went wrong on our side.",
    hint: "Try again. If it keeps happening, tell us when it happened.",
  },
  /** Errors of the auth service, by its error codes. */
  auth: {
    invalid_credentials: {
      message: "Wrong email or password.",
      hint: "Try again, or sign in with a code.",
    },
    mfa_verification_failed: {
      message: "That code is wrong or has expired.",
      hint: "Enter the code your app shows now.",
    },
    otp_expired: { message: "That code is wrong or has expired.", hint: "Ask for a new one." },
    email_exists: { message: "That address already has an account.", hint: "Sign in with it instead." },
    user_already_exists: {
      message: "That address already has an account.",
      hint: "Sign in with it instead.",
    },
    weak_password: {
      message: "That password is too easy to guess.",
      hint: "Use at least 8 characters.",
    },
    over_email_send_rate_limit: {
      message: "We just sent you an email.",
      hint: "Wait a minute before asking again.",
    },
    over_request_rate_limit: {
      message: "Too many tries.",
      hint: "Wait a minute, then try again.",
    },
    anonymous_provider_disabled: {
      message: "Guests can't sign in here.",
      hint: "Sign in with an email address.",
    },
    email_address_invalid: {
      message: "We can't send email to that address.",
      hint: "Check it for typos.",
    },
  } as Record<string, ErrorText>,
  /**
   * Errors of the database, by the catalogue's codes. A code without an entry shows the database's own
   * English.
   */
  refusals: {
    needs_account: { message: "Guests can't do this.", hint: "Add your email first. You keep everything." },
    plan_not_found: { message: "You're not on this plan.", hint: "Ask the host for an invite link." },
    circle_not_found: {
      message: "You're not in this circle.",
      hint: "Ask one of its admins for an invite link.",
    },
    place_not_found: { message: "This place no longer exists.", hint: "Choose another place." },
    person_not_found: { message: "That person is no longer here.", hint: "Reload to see who is." },
    message_not_found: {
      message: "You can't change this message.",
      hint: "It isn't yours, or it was deleted.",
    },
    not_allowed_to_propose: {
      message: "Only the host can suggest on this plan.",
      hint: "Share your idea in the chat.",
    },
    plan_not_polling: { message: "Voting is closed.", hint: "The host can reopen it." },
    plan_cancelled: { message: "This plan is cancelled.", hint: "The host can restore it." },
    time_in_past: { message: "That time has passed.", hint: "Choose a time in the future." },
    deadline_in_past: { message: "That deadline has passed.", hint: "Choose a later one." },
    invite_not_found: {
      message: "This invite link doesn't work.",
      hint: "Check that you copied the whole link.",
    },
    invite_used_up: { message: "This invite link is used up.", hint: "Ask for a new one." },
    invite_revoked: { message: "This invite link was revoked.", hint: "Ask for a new one." },
    place_is_shared: {
      message: "Others can already find this place.",
      hint: "Add your home as a new place.",
    },
    too_late_to_undo: {
      message: "It's too late to undo this.",
      hint: "Change the time or place, or reopen voting.",
    },
    arrival_backwards: {
      message: "You've already said you're further along.",
      hint: "There's nothing to do.",
    },
    circle_full: { message: "This circle is full. It has 50 people.", hint: "Start a second circle." },
    plan_full: { message: "This plan is full. It has 20 people.", hint: "Ask the host to free a seat." },
    too_many_times: { message: "A plan can have up to 30 times.", hint: "Remove one nobody wants." },
    too_many_places: { message: "A plan can have up to 20 places.", hint: "Remove one nobody wants." },
    too_many_photos: { message: "A plan can have up to 100 photos.", hint: "Remove one first." },
    too_many_messages: {
      message: "That's more than 30 messages in a minute.",
      hint: "Wait a moment, then try again.",
    },
    message_changed: {
      message: "This message has changed since you opened it.",
      hint: "Look at both versions, then decide.",
    },
    personal_link_gone: {
      message: "This personal link no longer works.",
      hint: "Create a new one on the device you're signed in on.",
    },
    no_longer_guest: {
      message: "Those plans already belong to an account.",
      hint: "Sign in with that account's address.",
    },
    too_many_mails: {
      message: "You've sent all the invitations you can today.",
      hint: "Share a link instead, or continue tomorrow.",
    },
    mail_bad_address: { message: "One of these isn't a valid email address.", hint: "Check them for typos." },
    mail_link_gone: {
      message: "This link doesn't match any of our emails.",
      hint: "Use the link at the end of our latest email.",
    },
    option_not_found: {
      message: "This option is no longer on the plan.",
      hint: "Look at the current options and vote again.",
    },
    unsafe_for_some: {
      message: "This place isn't confirmed safe for everyone who may come.",
      hint: "See who it is, ask the restaurant, then choose again.",
    },
    place_source_unknown: {
      message: "We couldn't find this place in OpenStreetMap.",
      hint: "Search for it again, or add it yourself.",
    },
    not_a_guest: {
      message: "Only guests need this.",
      hint: "Your account's email does the same.",
    },
    too_many_confirmations: {
      message: "That's too many confirmation emails for one day.",
      hint: "Look for the one we sent, or try again tomorrow.",
    },
    confirmation_gone: {
      message: "This confirmation link no longer works.",
      hint: "Enter your email on the plan again.",
    },
    too_many_names: {
      message: "That's too many names for one invite today.",
      hint: "Try again tomorrow, or sign in.",
    },
    too_many_join_requests: {
      message: "Too many requests to join today, from you or your network.",
      hint: "Ask the host for an invite link, or try again tomorrow.",
    },
    join_requests_full: {
      message: "20 people are already waiting for the host's answer.",
      hint: "Ask the host for an invite link.",
    },
    too_many_hours: {
      message: "A place can have up to 42 opening times a week.",
      hint: "Combine hours with no gap between them.",
    },
    too_many_new_places: {
      message: "You've added all the places you can today.",
      hint: "Continue tomorrow.",
    },
    too_many_invites: {
      message: "You have 60 active invite links, the most there can be.",
      hint: "Revoke one nobody needs.",
    },
    too_many_circles: {
      message: "You own 20 circles, the most there can be.",
      hint: "Delete one, or make someone else the owner.",
    },
    too_many_reactions: {
      message: "You're adding reactions too fast.",
      hint: "Wait a moment, then try again.",
    },
    nudged_today: {
      message: "Everyone who hasn't voted was nudged today.",
      hint: "Nudge them again tomorrow, or write in the chat.",
    },
    nothing_proposed: {
      message: "There's no proposal to object to any more.",
      hint: "Look at the plan again.",
    },
    not_coming: {
      message: "You said you're not coming.",
      hint: "Say that you're coming first, then you can object.",
    },
    standing_not_found: {
      message: "This standing dinner no longer exists.",
      hint: "Look at the circle again.",
    },
    no_seat_free: {
      message: "There aren't enough free seats for that many people.",
      hint: "Your answer hasn't changed. Ask the host for more seats.",
    },
    too_many_guest_plans: {
      message: "Without an account, you can host three plans at a time.",
      hint: "Add your email under Me, or cancel a plan.",
    },
    nobody_to_nudge: { message: "Everyone has voted.", hint: "There's nothing to do." },
    push_bad_subscription: {
      message: "We couldn't turn on notifications in this browser.",
      hint: "Turn notifications off and on again.",
    },
    too_many_push_devices: {
      message: "You get notifications on 10 devices, the most there can be.",
      hint: "Turn them off on a device you no longer use.",
    },
    too_many_look_ups: {
      message: "You've looked up too many addresses in the last hour.",
      hint: "Try again later.",
    },
    too_many_circle_places: {
      message: "This circle already has 60 places, the most there can be.",
      hint: "Remove one that nobody goes to any more.",
    },
    too_many_calendars: {
      message: "You've read too many calendars in the last hour.",
      hint: "Try again later, or use a file.",
    },
  } as Record<string, ErrorText>,
});

export type TimeWords = ReturnType<typeof timeWords>;
export type ErrorWords = ReturnType<typeof errorWords>;
