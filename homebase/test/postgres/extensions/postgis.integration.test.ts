/** The stand-in for PostGIS: values, errors, measures and relations with known answers, rights (PostGIS documentation). */
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";
import { clientForThisFile, forThisFile } from "../../for-this-file.ts";
import { geodesic, zone } from "./geodesy.ts";
import { postgisNames } from "./postgis-names.ts";

const backend = await forThisFile(
  createBackend({
    projectFolder: projectWith("", {
      "20260101000000_postgis.sql": "create extension postgis with schema extensions;",
    }),
  }),
);
const client = await clientForThisFile(backend.databaseUrl);

/** The only value of the only row, as text. */
const value = async (expression: string, values: unknown[] = []): Promise<unknown> =>
  (await client.query({ text: `select (${expression})::text`, values, rowMode: "array" })).rows[0]?.[0];
const failure = (expression: string) =>
  value(expression).then(
    (result) => `no error: ${result}`,
    (error: pg.DatabaseError) => `${error.code} ${error.message}`,
  );

const POINT_HEX = "0101000020E6100000068195438B7C52C09EEFA7C64B674440";
const SQUARE = "'POLYGON((0 0,4 0,4 4,0 4,0 0))'";
const RING = "'POLYGON((0 0,4 0,4 4,0 4,0 0),(1 1,3 1,3 3,1 3,1 1))'";

describe("text and binary form", () => {
  it.each([
    ["'SRID=4326;POINT(-73.946 40.807)'::geometry", POINT_HEX],
    ["'POINT(-73.946 40.807)'::geography", POINT_HEX],
    [`st_asewkt('${POINT_HEX}'::geometry)`, "SRID=4326;POINT(-73.946 40.807)"],
    [
      "'00000000014000000000000000C010000000000000'::geometry",
      "010100000000000000000000400000000000" + "0010C0",
    ],
    [
      "'point zm (1 2 3 4)'::geometry",
      "01010000C0000000000000F03F000000000000004000000000000008400000000000001040",
    ],
    ["st_astext('MULTIPOINT(1 2, 3 4)'::geometry)", "MULTIPOINT((1 2),(3 4))"],
    ["st_astext('linestring z(1 2 3, 4 5 6)'::geometry)", "LINESTRING Z (1 2 3,4 5 6)"],
    ["st_asewkt('LINESTRING Z (1 2 3,4 5 6)'::geometry)", "LINESTRING(1 2 3,4 5 6)"],
    [`st_astext(${RING}::geometry)`, RING.replaceAll("'", "")],
    [
      "st_astext('MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((9 9,10 9,10 10,9 9)))'::geometry)",
      "MULTIPOLYGON(((0 0,4 0,4 4,0 0)),((9 9,10 9,10 10,9 9)))",
    ],
    [
      "st_astext('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1e-7 1))'::geometry)",
      "GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,0.0000001 1))",
    ],
    ["st_astext('POINT EMPTY'::geometry)", "POINT EMPTY"],
    ["st_astext('POINT(0.1234567890123456789 1e20)'::geometry)", "POINT(0.123456789012346 1e+20)"],
    ["'POINT(1 2)'::geometry::json", '{"type":"Point","coordinates":[1,2]}'],
    [
      "st_asgeojson('SRID=3857;POINT(1.123456789012 2)'::geometry)",
      '{"type":"Point","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"coordinates":[1.123456789,2]}',
    ],
    [
      `st_asewkt(st_geomfromgeojson('{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1.5],[0,0]]]}'))`,
      "SRID=4326;POLYGON((0 0,1 0,1 1.5,0 0))",
    ],
    [
      "st_asbinary('SRID=4326;POINT Z (1 2 3)'::geometry)",
      "\\x01e9030000000000000000f03f00000000000000400000000000000840",
    ],
    [
      "st_asewkt(st_geomfromwkb(st_asbinary('LINESTRING(0 0,1 2)'::geometry), 4326))",
      "SRID=4326;LINESTRING(0 0,1 2)",
    ],
    ["st_astext('POINT(190 10)'::geography)", "POINT(-170 10)"],
    ["st_srid('POINT(1 2)'::geometry(point,4326))", "4326"],
    ["format_type('geometry'::regtype, 1107460)", "geometry(Point,4326)"],
    ["'BOX(1 2,3 4)'::box2d", "BOX(1 2,3 4)"],
    ["box3d('POINT Z (1 2 3)'::geometry)", "BOX3D(1 2 3,1 2 3)"],
  ])("%s is %s", async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });

  it.each([
    ["'POINT(1 a)'::geometry", "XX000 parse error - invalid geometry"],
    ["'POINT(1 2'::geometry", "XX000 parse error - invalid geometry"],
    ["''::geometry", "XX000 parse error - invalid geometry"],
    ["'LINESTRING(1 2)'::geometry", "XX000 geometry requires more points"],
    ["'POLYGON((0 0,1 1,1 0,0 1))'::geometry", "XX000 geometry contains non-closed rings"],
    ["'LINESTRING(0 0,1 1 1)'::geometry", "XX000 can not mix dimensionality in a geometry"],
    ["'0101000000'::geometry", "XX000 WKB structure does not match expected size!"],
    ["'\\x0102000000ffffffff'::bytea::geometry", "XX000 WKB structure does not match expected size!"],
    ["'\\x0107000000ffffff7f'::bytea::geometry", "XX000 WKB structure does not match expected size!"],
    [
      "'LINESTRING(1 2,3 4)'::geometry(point)",
      "22023 Geometry type (LineString) does not match column type (Point)",
    ],
    [
      "'SRID=3857;POINT(1 2)'::geometry(point,4326)",
      "22023 Geometry SRID (3857) does not match column SRID (4326)",
    ],
    ["'POINT Z (1 2 3)'::geometry(point)", "22023 Geometry has Z dimension but column does not"],
    ["null::geometry(foo)", "XX000 Invalid geometry type modifier: foo"],
    [
      "'SRID=3857;POINT(1 2)'::geography",
      "XX000 Only lon/lat coordinate systems are supported in geography.",
    ],
    ["st_buffer('POINT(1 2)'::geometry, 1)", "0A000 st_buffer() is not part of the stand-in for PostGIS."],
    ["st_union('POINT(1 2)'::geometry)", "0A000 st_union() is not part of the stand-in for PostGIS."],
    [
      "st_transform('SRID=4326;POINT(1 2)'::geometry, 25832)",
      "0A000 ST_Transform from SRID 4326 to 25832 is not part of the stand-in for PostGIS.",
    ],
    [
      "st_distance('SRID=4326;POINT(1 2)'::geometry, 'POINT(1 2)'::geometry)",
      "XX000 Operation on mixed SRID geometries (Point, 4326) != (Point, 0)",
    ],
  ])("%s fails with %s", async (expression, expected) => {
    expect(await failure(expression)).toBe(expected);
  });

  it("keeps a coordinate to the last bit, whatever the session prints of numbers", async () => {
    await client.query("set extra_float_digits = -10");
    const { rows } = await client.query(
      "select st_x(p) = 0.1 + 0.2::float8 as point, st_x(st_pointn(l, 2)) = 0.1 + 0.2::float8 as line from (select st_point(0.1 + 0.2::float8, 1) as p, st_makeline(st_point(0, 0), st_point(0.1 + 0.2::float8, 1)) as l) s",
    );
    await client.query("reset extra_float_digits");
    expect(rows).toEqual([{ point: true, line: true }]);
  });
});

describe("in the plane", () => {
  it.each([
    ["st_distance('POINT(0 0)'::geometry, 'POINT(3 4)'::geometry)", "5"],
    [`st_distance(${RING}::geometry, 'POINT(2 2.5)'::geometry)`, "0.5"],
    [`st_distance(${SQUARE}::geometry, 'LINESTRING(7 8,9 1)'::geometry) > 3`, "true"],
    ["st_distance('POINT(1 1)'::geometry, 'POINT EMPTY'::geometry)", null],
    [`st_area(${RING}::geometry)`, "12"],
    ["st_length('LINESTRING(0 0,3 4,3 5)'::geometry)", "6"],
    [`st_perimeter(${SQUARE}::geometry)`, "16"],
    [`st_astext(st_centroid(${SQUARE}::geometry))`, "POINT(2 2)"],
    ["st_astext(st_centroid('LINESTRING(0 0,2 0)'::geometry))", "POINT(1 0)"],
    [`st_contains(${SQUARE}::geometry, 'POINT(0 0)'::geometry)`, "false"],
    [`st_covers(${SQUARE}::geometry, 'POINT(0 0)'::geometry)`, "true"],
    [`st_contains(${SQUARE}::geometry, 'LINESTRING(0 0,4 0)'::geometry)`, "false"],
    [`st_covers(${RING}::geometry, 'POLYGON((0.5 0.5,3.5 0.5,3.5 3.5,0.5 3.5,0.5 0.5))'::geometry)`, "false"],
    [`st_within('POINT(2 2)'::geometry, ${RING}::geometry)`, "false"],
    ["st_equals('LINESTRING(0 0,2 2)'::geometry, 'LINESTRING(2 2,1 1,0 0)'::geometry)", "true"],
    [`st_intersects(${SQUARE}::geometry, 'LINESTRING(4 4,9 9)'::geometry)`, "true"],
    [`st_intersects(${RING}::geometry, 'POINT(2 2)'::geometry)`, "false"],
    ["st_dwithin('POINT(0 0)'::geometry, 'POINT(3 4)'::geometry, 5)", "true"],
    ["st_isvalid('POLYGON((0 0,4 4,4 0,0 4,0 0))'::geometry)", "false"],
    [`st_isvalid(${RING}::geometry)`, "true"],
    ["st_astext(st_envelope('LINESTRING(1 2,3 4)'::geometry))", "POLYGON((1 2,1 4,3 4,3 2,1 2))"],
    ["select st_extent(g) from (values (st_point(1, 2)), (st_point(3, 0))) v(g)", "BOX(1 0,3 2)"],
    [
      "select st_astext(st_collect(g)) from (values (st_point(1, 2)), (st_point(3, 0))) v(g)",
      "MULTIPOINT((1 2),(3 0))",
    ],
    [
      "st_astext(st_transform('SRID=4326;POINT(-73.946 40.807)'::geometry, 3857), 3)",
      "POINT(-8231631.066 4983915.752)",
    ],
    [
      "st_astext(st_transform(st_transform('SRID=4326;POINT(-73.946 40.807)'::geometry, 3857), 4326), 9)",
      "POINT(-73.946 40.807)",
    ],
    ["'POINT(1 1)'::geometry && 'POINT(1 1)'::geometry", "true"],
    ["'POINT EMPTY'::geometry && 'POINT EMPTY'::geometry", "false"],
    [`${SQUARE}::geometry ~ 'POINT(1 1)'::geometry`, "true"],
    [`'POINT(9 9)'::geometry @ ${SQUARE}::geometry`, "false"],
    ["'POINT(1 1)'::geometry = 'POINT(1 1)'::geometry", "true"],
  ])("%s is %s", async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });
});

/** Longitude and latitude. */
const CITIES: Record<string, readonly [number, number]> = {
  London: [-0.1278, 51.5074],
  Paris: [2.3522, 48.8566],
  "New York": [-74.006, 40.7128],
  Sydney: [151.2093, -33.8688],
  Suva: [178.4419, -18.1416],
  Apia: [-171.7514, -13.8507],
  Longyearbyen: [15.6356, 78.2232],
};
const place = (name: string) => `'POINT(${CITIES[name]?.join(" ")})'::geography`;

describe("on the earth", () => {
  const pairs = Object.keys(CITIES).flatMap((one, index) =>
    Object.keys(CITIES)
      .slice(index + 1)
      .map((other) => [one, other] as const),
  );
  it.each(pairs)(
    "from %s to %s it is as far as by Vincenty's formula, to a metre in 10,000 km",
    async (one, other) => {
      const expected = geodesic(CITIES[one] ?? [0, 0], CITIES[other] ?? [0, 0]);
      const found = Number(await value(`st_distance(${place(one)}, ${place(other)})`));
      expect(Math.abs(found / expected - 1)).toBeLessThan(2e-7);
      expect(await value(`st_dwithin(${place(one)}, ${place(other)}, ${expected + 2})`)).toBe("true");
      expect(await value(`st_dwithin(${place(one)}, ${place(other)}, ${expected - 2})`)).toBe("false");
    },
  );

  it.each([0, 35, 52, 70, -45, 85])(
    "a cell of a tenth of a degree at latitude %d has its area",
    async (lat) => {
      const cell = `'POLYGON((10 ${lat},10.1 ${lat},10.1 ${lat + 0.1},10 ${lat + 0.1},10 ${lat}))'::geography`;
      expect(Number(await value(`st_area(${cell})`)) / zone(lat, lat + 0.1, 0.1)).toBeCloseTo(1, 3);
    },
  );

  it("an eighth of the earth has its area, and one around the pole", async () => {
    const eighth = zone(0, 90, 90);
    expect(
      Number(await value("st_area('POLYGON((0 0,90 0,90 90,0 90,0 0))'::geography)")) / eighth,
    ).toBeCloseTo(1, 3);
    const cap = await value(
      "st_covers('POLYGON((0 80,90 80,180 80,-90 80,0 80))'::geography, 'POINT(33 89)'::geography)",
    );
    expect(cap).toBe("true");
  });

  it.each([
    ["st_distance('POINT(2 2)'::geography, 'POLYGON((0 0,4 0,4 4,0 4,0 0))'::geography)", 0],
    ["st_distance('LINESTRING(0 0,1 1)'::geography, 'LINESTRING(0 1,1 0)'::geography)", 0],
    ["st_distance('POINT(5 1)'::geography, 'LINESTRING(4 0,4 3)'::geography)", geodesic([5, 1], [4, 1])],
    ["st_length('LINESTRING(0 0,0 1,1 1)'::geography)", geodesic([0, 0], [0, 1]) + geodesic([0, 1], [1, 1])],
    [
      "st_distance('POINT(179.9 0)'::geography, 'POLYGON((-179.9 -1,-179 -1,-179 1,-179.9 1,-179.9 -1))'::geography)",
      geodesic([179.9, 0], [180.1, 0]),
    ],
  ])("%s is %f", async (expression, expected) => {
    const found = Number(await value(expression));
    if (expected === 0) expect(found).toBe(0);
    else expect(Math.abs(found / expected - 1)).toBeLessThan(1e-3);
  });

  it.each([
    [
      "st_covers('POLYGON((170 0,-170 0,-170 10,170 10,170 0))'::geography, 'POINT(180 5)'::geography)",
      "true",
    ],
    [
      "st_covers('POLYGON((170 0,-170 0,-170 10,170 10,170 0))'::geography, 'POINT(0 5)'::geography)",
      "false",
    ],
    // The northern edge is a geodesic, which rises above its ends.
    ["st_covers('POLYGON((0 0,4 0,4 4,0 4,0 0))'::geography, 'POINT(2 4.001)'::geography)", "true"],
    ["st_covers('POLYGON((0 0,4 0,4 4,0 4,0 0))'::geography, 'POINT(2 4.01)'::geography)", "false"],
    ["st_intersects('POLYGON((0 0,4 0,4 4,0 4,0 0))'::geography, 'LINESTRING(-1 1,2 2)'::geography)", "true"],
  ])("%s is %s", async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });
});

it("says which columns are shapes, and knows the two projections of maps on the web", async () => {
  await client.query(
    "begin; create table public.columns (a geometry(point, 4326), b geometry, c geography(polygon))",
  );
  const { rows } = await client.query(
    `select f_geometry_column as name, coord_dimension as dims, srid, type from geometry_columns where f_table_name = 'columns'
     union all select f_geography_column, coord_dimension, srid, type from geography_columns where f_table_name = 'columns' order by 1`,
  );
  await client.query("rollback");
  expect(rows).toEqual([
    { name: "a", dims: 2, srid: 4326, type: "POINT" },
    { name: "b", dims: 2, srid: 0, type: "GEOMETRY" },
    { name: "c", dims: 2, srid: 4326, type: "Polygon" },
  ]);
  expect((await client.query("select srid from spatial_ref_sys order by 1")).rows).toEqual([
    { srid: 3857 },
    { srid: 4326 },
  ]);
  expect(await value("postgis_version()")).toMatch(/^3\.3 /);
});

it("has every function of the catalogue, as often as upstream", async () => {
  const { rows } = await client.query<{ name: string }>(
    `select p.proname || case when count(*) > 1 then ':' || count(*) else '' end as name
     from pg_depend d join pg_proc p on p.oid = d.objid join pg_extension e on e.oid = d.refobjid
     where d.classid = 'pg_proc'::regclass and d.deptype = 'e' and e.extname = 'postgis' and p.proname !~ '^homebase_'
     group by p.proname`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(postgisNames.toSorted());
});

it("runs nothing with its owner's rights, and what writes nothing is no volatile function", async () => {
  const { rows } = await client.query(
    `select p.oid::regprocedure::text from pg_depend d join pg_proc p on p.oid = d.objid join pg_extension e on e.oid = d.refobjid
     where d.classid = 'pg_proc'::regclass and d.deptype = 'e' and e.extname = 'postgis' and p.prosecdef`,
  );
  expect(rows).toEqual([]);
});

it("gives no value but what its functions have checked", async () => {
  // A rectangle and bytes join to a value whose text says nothing: it is refused or read, and never misread as memory.
  for (const bytes of ["", "31", "3130", "363034333236205b", "ff".repeat(300)]) {
    await failure(`st_astext(homebase_geo_join(polygon(box '(1,1),(0,0)'), decode('${bytes}', 'hex')))`);
    await failure(
      `homebase_geo_join(polygon(box '(1,1),(0,0)'), decode('${bytes}', 'hex')) && st_point(0, 0)`,
    );
  }
  expect(await value("1")).toBe("1");
});
