/** Texts that people paste: links of map services, coordinates, and neither. */
import { describe, expect, it } from "vitest";
import { readMapLink } from "./map-link.ts";

const at = (latitude: number, longitude: number, name: string | null = null) => ({
  kind: "position",
  position: { latitude, longitude },
  name,
});

describe("a map link", () => {
  it.each([
    // The place, not the middle of the map that was shown.
    [
      "https://www.google.com/maps/place/Momo+Sete/@38.7000,-9.2000,17z/data=!3m1!4b1!4m6!3m5!1s0x0!8m2!3d38.7104!4d-9.1532!16s",
      at(38.7104, -9.1532, "Momo Sete"),
    ],
    ["https://www.google.com/maps/@38.7104,-9.1532,17z", at(38.7104, -9.1532)],
    ["https://www.google.com/maps/search/?api=1&query=38.7104%2C-9.1532", at(38.7104, -9.1532)],
    ["https://maps.google.com/?q=38.7104,-9.1532", at(38.7104, -9.1532)],
    ["https://www.google.com/maps/place/Caf%C3%A9+%C3%89den/@48.1,11.5,15z", at(48.1, 11.5, "Café Éden")],
    ["https://maps.apple.com/?ll=38.7104,-9.1532&q=Momo%20Sete", at(38.7104, -9.1532, "Momo Sete")],
    [
      "https://maps.apple.com/place?coordinate=38.7104,-9.1532&name=Momo%20Sete",
      at(38.7104, -9.1532, "Momo Sete"),
    ],
    ["https://www.openstreetmap.org/#map=19/38.71040/-9.15320", at(38.7104, -9.1532)],
    ["https://www.openstreetmap.org/?mlat=38.7104&mlon=-9.1532#map=12/1.0/2.0", at(38.7104, -9.1532)],
    ["https://www.bing.com/maps?cp=38.7104~-9.1532&lvl=16", at(38.7104, -9.1532)],
    ["https://waze.com/ul?ll=38.7104%2C-9.1532&navigate=yes", at(38.7104, -9.1532)],
    ["geo:38.7104,-9.1532?z=17", at(38.7104, -9.1532)],
    ["38.7104, -9.1532", at(38.7104, -9.1532)],
    ["Momo Sete https://www.google.com/maps/@38.7104,-9.1532,17z", at(38.7104, -9.1532, "Momo Sete")],
    ["geo:0,0?q=43.26,-2.93(Bar%20Nestor)", at(43.26, -2.93, "Bar Nestor")],
    ["geo:43.26,-2.93?q=Bar+Nestor", at(43.26, -2.93)],
    ["geo:0,0?q=Calle+Mayor+1", { kind: "name", name: "Calle Mayor 1" }],
  ])("%s", (text, found) => expect(readMapLink(text)).toEqual(found));

  it("that is short has to be opened first", () => {
    expect(readMapLink("https://maps.app.goo.gl/AbCdEf123")).toEqual({
      kind: "short",
      link: "https://maps.app.goo.gl/AbCdEf123",
      name: null,
    });
    expect(readMapLink("Bar Nestor\nhttps://maps.app.goo.gl/AbCdEf123")).toMatchObject({
      name: "Bar Nestor",
    });
  });

  it.each([
    ["https://maps.google.com/?q=Momo+Sete", "Momo Sete"],
    ["https://www.google.com/maps/search/?api=1&query=Momo+Sete%2C+Lisboa", "Momo Sete, Lisboa"],
    ["https://www.google.com/maps/place/Caf%C3%A9+%C3%89den/data=!4m2", "Café Éden"],
    ["https://maps.apple.com/?q=Momo%20Sete", "Momo Sete"],
  ])("%s names a place without a position", (text, name) =>
    expect(readMapLink(text)).toEqual({ kind: "name", name }),
  );

  it.each([
    "",
    "Momo Sete",
    "https://example.org/menu",
    "https://example.org/?q=Momo+Sete",
    "https://www.google.com/maps/@98.7104,-9.1532,17z",
    "https://www.google.com/maps/place/%E0%A4%A",
    "http://",
  ])("%s names no position", (text) => expect(readMapLink(text)).toBeNull());
});
