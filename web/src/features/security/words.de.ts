/** Owns: the words for keeping an account safe, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { SecurityWords } from "./words.ts";

export const security: SecurityWords = {
  factor: {
    title: "In zwei Schritten anmelden",
    off: "Außer nach dem Passwort kann die Anmeldung nach sechs Ziffern aus einer Authenticator-App auf deinem Telefon fragen.",
    on: "Die Anmeldung fragt nach sechs Ziffern aus deiner Authenticator-App.",
    turnOn: "Einschalten",
    turnOff: "Ausschalten",
    loading: "Dein zweiter Schritt",
    scan: "Scann das mit einer Authenticator-App oder tipp den Schlüssel dort ein. Gib dann die sechs Ziffern ein, die sie zeigt.",
    picture: "Ein quadratischer Code für eine Authenticator-App",
    key: "Schlüssel",
    digits: "Sechs Ziffern",
    confirm: "Bestätigen",
    turnOffText: "Gib die sechs Ziffern noch einmal ein. Danach genügt zum Anmelden das Passwort.",
    wrong: "Diese Ziffern stimmen nicht oder sind einen Moment zu alt.",
  },
  sessions: {
    title: "Wo du angemeldet bist",
    loading: "Deine Geräte",
    here: "Dieses Gerät",
    lastUsed: (when) => `zuletzt ${when}`,
    end: "Abmelden",
    endNamed: (device) => `${device} abmelden`,
    ended: "Dort abgemeldet.",
    unknown: "Ein Gerät",
    device: (browser, system) => `${browser} auf ${system}`,
    count: (count) => plural(count, { one: "# Gerät", other: "# Geräte" }),
  },
};
