/** Owns: the time zone of a position, from a table that is loaded when it is asked for. */

export async function zoneAt({
  latitude,
  longitude,
}: {
  latitude: number;
  longitude: number;
}): Promise<string> {
  const { default: lookUp } = await import("@photostructure/tz-lookup");
  return lookUp(latitude, longitude);
}
