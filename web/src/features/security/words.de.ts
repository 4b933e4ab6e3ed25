/** Owns: the words for keeping an account safe, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { SecurityWords } from "./words.ts";

export const security: SecurityWords = {
  factor: {
    title: "Bestätigung in zwei Schritten",
    off: "Sichere deine Anmeldung mit einem zweiten Schritt: einem Code aus einer Authenticator-App auf deinem Handy.",
    on: "Du meldest dich mit einem Code aus deiner Authenticator-App an.",
    turnOn: "Einschalten",
    turnOff: "Ausschalten",
    loading: "Bestätigung in zwei Schritten",
    scan: "Scann das mit einer Authenticator-App oder gib dort den Schlüssel ein. Gib dann den sechsstelligen Code ein, den sie zeigt.",
    picture: "QR-Code für eine Authenticator-App",
    key: "Schlüssel",
    digits: "Sechsstelliger Code",
    confirm: "Bestätigen",
    turnOffText: "Gib noch einmal einen Code ein. Danach genügt zum Anmelden das Passwort.",
    wrong: "Der Code ist falsch oder abgelaufen.",
  },
  sessions: {
    title: "Wo du angemeldet bist",
    loading: "Deine Geräte",
    here: "Dieses Gerät",
    lastUsed: (when) => `zuletzt ${when}`,
    end: "Abmelden",
    endNamed: (device) => `${device} abmelden`,
    ended: "Das andere Gerät ist abgemeldet.",
    unknown: "Unbekanntes Gerät",
    device: (browser, system) => `${browser} auf ${system}`,
    count: (count) => plural(count, { one: "# Gerät", other: "# Geräte" }),
  },
};
