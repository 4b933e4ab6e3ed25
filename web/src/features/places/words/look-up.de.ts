/** Owns: the words of looking up a name or an address, in German. */
import type { LookUpWords } from "./look-up.ts";

export const lookup: LookUpWords = {
  label: "Auf der Karte gefunden",
  looking: "Wird gesucht",
  none: "Nichts gefunden. Prüf die Schreibweise.",
  use: (name, address) => `${address === "" ? name : `${name}, ${address}`} übernehmen`,
  useShort: "Übernehmen",
  cityOnly: "Nur die Stadt, ohne Wegzeiten.",
  ownMap: "Aus der Karte und den Orten von Nosh. Nicht jede Straße ist dabei.",
  refusals: {
    look_up_busy: {
      message: "Gerade suchen viele Leute Adressen.",
      hint: "Versuch es in ein paar Sekunden wieder.",
    },
    geocoder_unavailable: {
      message: "Die Adresssuche geht gerade nicht.",
      hint: "Versuch es gleich wieder.",
    },
    link_unreachable: {
      message: "Dieser Kurzlink ließ sich nicht öffnen.",
      hint: "Öffne ihn selbst und kopier die lange Adresse aus dem Browser.",
    },
    too_many_look_ups: {
      message: "Du hast in der letzten Stunde zu viele Adressen gesucht.",
      hint: "Versuch es später wieder.",
    },
  },
};
