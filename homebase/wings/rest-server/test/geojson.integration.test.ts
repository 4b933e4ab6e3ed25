/**
 * `Accept: application/geo+json` with the real PostGIS (PostgREST documentation, "PostGIS"). Skipped, by name, where no
 * installed Postgres has it: `apt-get install postgresql-15-postgis-3` of Debian, for example.
 */

import { describe, expect, it } from "vitest";
import { leasePorts } from "../../../test/port-lease.ts";
import { startSystemPostgres, systemPostgresWith } from "../../../test/system-postgres.ts";
import { get, standaloneRuns } from "./standalone-run.ts";

const PORT = 54_320 + leasePorts();
const bin = systemPostgresWith("postgis");

const SCHEMA = `
create role gate login noinherit;
create role visitor nologin;
grant visitor to gate;
create schema extensions;
create extension postgis with schema extensions;
create schema api;
grant usage on schema api, extensions to visitor;
set search_path = api, extensions;
create table regions (id int primary key, name text not null);
create table shops (
  id int primary key, name text not null, region_id int references regions,
  place geometry(point, 4326), area geography(polygon, 4326)
);
insert into regions values (1, 'north'), (2, 'south');
insert into shops values
  (1, 'one', 1, 'srid=4326;point(-71.1043 42.315)', 'polygon((0 0,1 0,1 1,0 0))'),
  (2, 'two', 2, 'srid=4326;point(10 20)', null),
  (3, 'nowhere', 1, null, null);
grant all on all tables in schema api to visitor;
create function near(lon float8, lat float8, metres float8) returns setof shops language sql stable as $$
  select * from api.shops s where extensions.st_dwithin(s.place::extensions.geography, extensions.st_makepoint(lon, lat)::extensions.geography, metres)
$$;
create function middle() returns geometry language sql stable as $$ select 'srid=4326;point(1 2)'::geometry $$;
`;

const feature = (id: number, name: string, region: number, coordinates: number[] | undefined) => ({
  type: "Feature",
  // PostGIS's own answer for a null geometry.
  geometry: coordinates ? { type: "Point", coordinates } : { type: null },
  properties: expect.objectContaining({ id, name, region_id: region }),
});

describe.skipIf(bin === undefined)("geo+json with PostGIS of this machine", () => {
  const { start } = standaloneRuns(PORT, SCHEMA, () => startSystemPostgres(bin ?? "", PORT, SCHEMA));
  const serve = () =>
    start({
      PGRST_DB_URI: `postgresql://gate@127.0.0.1:${PORT}/postgres`,
      PGRST_DB_ANON_ROLE: "visitor",
      PGRST_DB_EXTRA_SEARCH_PATH: "extensions",
    });
  const GEO = { accept: "application/geo+json" };

  it("shows rows of a table as a collection of features", async () => {
    const { url } = await serve();
    const all = await get(`${url}/shops?order=id`, GEO);
    expect(all.status).toBe(200);
    expect(all.headers.get("content-type")).toBe("application/geo+json; charset=utf-8");
    expect(all.headers.get("content-range")).toBe("0-2/*");
    expect(all.json).toEqual({
      type: "FeatureCollection",
      features: [
        feature(1, "one", 1, [-71.1043, 42.315]),
        feature(2, "two", 2, [10, 20]),
        feature(3, "nowhere", 1, undefined),
      ],
    });
    expect((await get(`${url}/shops?id=eq.9`, GEO)).json).toEqual({
      type: "FeatureCollection",
      features: [],
    });
    const few = await get(`${url}/shops?select=id,place&order=id&limit=1`, GEO);
    expect(few.json).toMatchObject({ features: [{ geometry: { type: "Point" }, properties: { id: 1 } }] });
  });

  it("shows geometry in JSON as GeoJSON, and takes it in a filter and in a body", async () => {
    const { url } = await serve();
    expect((await get(`${url}/shops?select=place,area&id=eq.1`)).json).toMatchObject([
      {
        place: { type: "Point", coordinates: [-71.1043, 42.315] },
        // PostGIS casts geometry to JSON, and geography not.
        area: expect.stringMatching(/^0103000020E6/),
      },
    ]);
    const made = await fetch(`${url}/shops`, {
      method: "POST",
      headers: { ...GEO, "content-type": "application/json", prefer: "return=representation" },
      body: JSON.stringify({ id: 4, name: "four", region_id: 1, place: "SRID=4326;POINT(3 4)" }),
    });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      type: "FeatureCollection",
      features: [{ geometry: { coordinates: [3, 4] }, properties: { id: 4, name: "four" } }],
    });
    const gone = await fetch(`${url}/shops?id=eq.4`, {
      method: "DELETE",
      headers: { ...GEO, prefer: "return=representation" },
    });
    expect(await gone.json()).toMatchObject({ features: [{ properties: { id: 4 } }] });
  });

  it("keeps the modifiers of its types in the description", async () => {
    const { url } = await serve();
    const { definitions } = (await get(`${url}/`)).json as {
      definitions: Record<string, { properties: Record<string, { format: string }> }>;
    };
    const { place, area } = definitions.shops?.properties ?? {};
    expect([place?.format, area?.format]).toEqual([
      "extensions.geometry(Point,4326)",
      "extensions.geography(Polygon,4326)",
    ]);
  });

  it("shows rows of a function, and embedded rows as properties", async () => {
    const { url } = await serve();
    const near = await get(`${url}/rpc/near?lon=10&lat=20&metres=1000`, GEO);
    expect(near.json).toEqual({ type: "FeatureCollection", features: [feature(2, "two", 2, [10, 20])] });
    const embedded = await get(`${url}/shops?select=id,place,regions(name)&id=eq.1`, GEO);
    expect(embedded.json).toMatchObject({
      features: [{ geometry: { type: "Point" }, properties: { id: 1, regions: { name: "north" } } }],
    });
    const within = await get(`${url}/regions?select=name,shops(id,place)&id=eq.2`);
    expect(within.json).toEqual([
      { name: "south", shops: [{ id: 2, place: expect.objectContaining({ coordinates: [10, 20] }) }] },
    ]);
    expect((await get(`${url}/rpc/middle`)).json).toMatchObject({ type: "Point", coordinates: [1, 2] });
  });

  it("refuses rows without a geometry, and types that it cannot give", async () => {
    const { url } = await serve();
    const none = await get(`${url}/regions`, GEO);
    expect(none.status).toBe(400);
    expect(none.json).toMatchObject({ message: "geometry column is missing" });
    const single = await get(`${url}/shops?id=eq.1`, {
      accept: "application/geo+json, application/vnd.pgrst.object+json",
    });
    expect(single.json).toMatchObject({ type: "FeatureCollection" });
  });
});
