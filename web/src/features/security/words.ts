/** Owns: the words for keeping an account safe, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const securityWords = defineWords("security", {
  factor: {
    title: "Two-step verification",
    off: "Add a second step when you sign in: a code from an authenticator app on your phone.",
    on: "You sign in with a code from your authenticator app.",
    turnOn: "Turn on",
    turnOff: "Turn off",
    loading: "two-step verification",
    scan: "Scan this with an authenticator app, or enter the key there. Then type the six-digit code it shows.",
    picture: "QR code for an authenticator app",
    key: "Key",
    digits: "Six-digit code",
    confirm: "Confirm",
    turnOffText: "Enter a code once more. After that, your password alone is enough to sign in.",
    wrong: "That code is wrong or has expired.",
  },
  sessions: {
    title: "Where you are signed in",
    loading: "your devices",
    here: "This device",
    lastUsed: (when: string) => `last used ${when}`,
    end: "Sign out",
    endNamed: (device: string) => `Sign out ${device}`,
    ended: "Signed out on that device.",
    unknown: "Unknown device",
    device: (browser: string, system: string) => `${browser} on ${system}`,
    count: (count: number) => plural(count, { one: "# device", other: "# devices" }),
  },
});

export type SecurityWords = ReturnType<typeof securityWords>;
