/** Owns: the words for keeping an account safe, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const securityWords = defineWords("security", {
  factor: {
    title: "Two steps to sign in",
    off: "Besides the password, signing in can ask for six digits from an authenticator app on your phone.",
    on: "Signing in asks for six digits from your authenticator app.",
    turnOn: "Turn it on",
    turnOff: "Turn it off",
    loading: "your second step",
    scan: "Scan this with an authenticator app, or type the key into it. Then enter the six digits it shows.",
    picture: "A square code for an authenticator app",
    key: "Key",
    digits: "Six digits",
    confirm: "Confirm",
    turnOffText: "Enter the six digits once more. After that the password alone is enough to sign in.",
    wrong: "Those digits are not right, or a moment too old.",
  },
  sessions: {
    title: "Where you are signed in",
    loading: "your devices",
    here: "This device",
    lastUsed: (when: string) => `last used ${when}`,
    end: "Sign out",
    endNamed: (device: string) => `Sign out ${device}`,
    ended: "Signed out there.",
    unknown: "A device",
    device: (browser: string, system: string) => `${browser} on ${system}`,
    count: (count: number) => plural(count, { one: "# device", other: "# devices" }),
  },
});

export type SecurityWords = ReturnType<typeof securityWords>;
