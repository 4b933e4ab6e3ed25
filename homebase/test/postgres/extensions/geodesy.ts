/** Owns known answers on the WGS 84 spheroid, calculated without the database (Vincenty 1975; areas of zones in closed form). */

const A = 6_378_137;
const F = 1 / 298.257_223_563;
const B = A * (1 - F);
const E = Math.sqrt(F * (2 - F));
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** The length in metres of the geodesic between two places in degrees, which are not opposite each other. */
export function geodesic(
  [lon1, lat1]: readonly [number, number],
  [lon2, lat2]: readonly [number, number],
): number {
  const [u1, u2] = [lat1, lat2].map((lat) => Math.atan((1 - F) * Math.tan(radians(lat)))) as [number, number];
  const l = radians(lon2 - lon1);
  let lambda = l;
  for (let round = 0; round < 200; round += 1) {
    const sinSigma = Math.hypot(
      Math.cos(u2) * Math.sin(lambda),
      Math.cos(u1) * Math.sin(u2) - Math.sin(u1) * Math.cos(u2) * Math.cos(lambda),
    );
    if (sinSigma === 0) return 0;
    const cosSigma = Math.sin(u1) * Math.sin(u2) + Math.cos(u1) * Math.cos(u2) * Math.cos(lambda);
    const sigma = Math.atan2(sinSigma, cosSigma);
    const sinAlpha = (Math.cos(u1) * Math.cos(u2) * Math.sin(lambda)) / sinSigma;
    const cos2Alpha = 1 - sinAlpha ** 2;
    const cos2m = cos2Alpha === 0 ? 0 : cosSigma - (2 * Math.sin(u1) * Math.sin(u2)) / cos2Alpha;
    const c = (F / 16) * cos2Alpha * (4 + F * (4 - 3 * cos2Alpha));
    const next =
      l + (1 - c) * F * sinAlpha * (sigma + c * sinSigma * (cos2m + c * cosSigma * (2 * cos2m ** 2 - 1)));
    if (Math.abs(next - lambda) < 1e-13) {
      const u = (cos2Alpha * (A ** 2 - B ** 2)) / B ** 2;
      const a = 1 + (u / 16384) * (4096 + u * (u * (320 - 175 * u) - 768));
      const b = (u / 1024) * (256 + u * (u * (74 - 47 * u) - 128));
      const d =
        b *
        sinSigma *
        (cos2m +
          (b / 4) *
            (cosSigma * (2 * cos2m ** 2 - 1) -
              (b / 6) * cos2m * (4 * sinSigma ** 2 - 3) * (4 * cos2m ** 2 - 3)));
      return B * a * (sigma - d);
    }
    lambda = next;
  }
  throw new Error("The two places are nearly opposite each other.");
}

/** The area in square metres between two parallels, over a number of degrees of longitude. */
export function zone(south: number, north: number, degrees: number): number {
  const q = (lat: number) => {
    const s = Math.sin(radians(lat));
    return s / (1 - (E * s) ** 2) + Math.atanh(E * s) / E;
  };
  return (B ** 2 / 2) * (q(north) - q(south)) * radians(degrees) * 1;
}
