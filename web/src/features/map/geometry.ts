/** Owns: positions on the ground: how far apart, what box holds them, which fall together on a map. Pure. */
import { mapWords } from "./words.ts";

/** Degrees, WGS 84. */
export interface Position {
  latitude: number;
  longitude: number;
}

const EARTH_METRES = 6_371_000;
const METRES_A_DEGREE = (Math.PI * EARTH_METRES) / 180;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Metres along the ground, by the haversine formula; the same radius as plan_trips in SQL. */
export function metresBetween(a: Position, b: Position): number {
  const north = radians(b.latitude - a.latitude);
  const east = radians(b.longitude - a.longitude);
  const half =
    Math.sin(north / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** "350 m", "2.4 km", rounded for walking. */
export function formatMetres(metres: number): string {
  const words = mapWords();
  if (metres < 975) return words.metres(Math.max(50, Math.round(metres / 50) * 50));
  return words.kilometres(metres / 1000);
}

/** [west, south, east, north] around the points with a margin, or null without points. */
export function boundsOf(
  points: readonly Position[],
  marginMetres: number,
): [number, number, number, number] | null {
  if (points.length === 0) return null;
  const latitudes = points.map((point) => point.latitude);
  const longitudes = points.map((point) => point.longitude);
  const south = Math.min(...latitudes);
  const north = Math.max(...latitudes);
  const margin = marginMetres / METRES_A_DEGREE;
  const wider = margin / Math.max(0.05, Math.cos(radians((south + north) / 2)));
  return [
    Math.min(...longitudes) - wider,
    Math.max(-85, south - margin),
    Math.max(...longitudes) + wider,
    Math.min(85, north + margin),
  ];
}

/** Lines a kilometre apart around a point, as [longitude, latitude] pairs: what a map without streets is read by. */
export function kilometreGrid(centre: Position, kilometres: number): [number, number][][] {
  const north = 1000 / METRES_A_DEGREE;
  const east = north / Math.max(0.05, Math.cos(radians(centre.latitude)));
  const lines: [number, number][][] = [];
  for (let step = -kilometres; step <= kilometres; step += 1) {
    const longitude = centre.longitude + step * east;
    const latitude = centre.latitude + step * north;
    lines.push([
      [longitude, centre.latitude - kilometres * north],
      [longitude, centre.latitude + kilometres * north],
    ]);
    lines.push([
      [centre.longitude - kilometres * east, latitude],
      [centre.longitude + kilometres * east, latitude],
    ]);
  }
  return lines;
}

export interface Cluster<Point extends Position> extends Position {
  points: [Point, ...Point[]];
}

/**
 * Points that would cover each other, together. Each point joins the first cluster whose first point is nearer
 * than `pixels` at this zoom (512 px tiles), so that the result depends on the order of the points only.
 */
export function clustersOf<Point extends Position>(
  points: readonly Point[],
  zoom: number,
  pixels: number,
): Cluster<Point>[] {
  const world = 512 * 2 ** zoom;
  const clusters: { x: number; y: number; points: [Point, ...Point[]] }[] = [];
  for (const point of points) {
    const x = ((point.longitude + 180) / 360) * world;
    const y = (0.5 - Math.asinh(Math.tan(radians(point.latitude))) / (2 * Math.PI)) * world;
    const near = clusters.find((cluster) => Math.hypot(cluster.x - x, cluster.y - y) < pixels);
    if (near) near.points.push(point);
    else clusters.push({ x, y, points: [point] });
  }
  return clusters.map(({ points: together }) => ({
    points: together,
    latitude: together.reduce((sum, point) => sum + point.latitude, 0) / together.length,
    longitude: together.reduce((sum, point) => sum + point.longitude, 0) / together.length,
  }));
}
