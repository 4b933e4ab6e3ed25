/** Versions of files in a wanted order: they increase, none is taken from another file, and most files keep theirs. */
import { expect, test } from "vitest";
import { versionsFor } from "../../../src/tools/repair/versions.ts";

const NEW = undefined;

test.each<[name: string, wanted: (string | undefined)[], given: string[]]>([
  ["a folder in order", ["01", "02"], ["01", "02"]],
  ["a new first file", [NEW, "20240301000000"], ["20240229235959", "20240301000000"]],
  ["a new first file in a folder without files", [NEW], ["20200101000000"]],
  ["a new first file where none is lower", [NEW, "000", "002"], ["003", "004", "005"]],
  ["a version twice, with room", ["01", "01", "05"], ["01", "02", "05"]],
  ["a version twice, without room", ["01", "01", "02", "05"], ["01", "03", "04", "05"]],
  ["a file that has to run first", ["03", "01", "02"], ["00", "01", "02"]],
  ["a second in the next minute", ["20241231235959", "20241231235959"], ["20241231235959", "20250101000000"]],
  ["digits that are no time", ["20249931235959", "20249931235959"], ["20249931235959", "20249931235960"]],
  ["numbers without leading zeros", ["1", "2", "10"], ["1", "2", "3"]],
  ["a new first file where the Supabase CLI has another order", [NEW, "1", "10"], ["0", "1", "10"]],
  ["no number of this length is left", ["9", "9"], ["1", "2"]],
])("%s", (_, wanted, given) => {
  expect(versionsFor(wanted)).toEqual(given);
});

test("of any folder they increase as file names do, and no new one was in use", () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const lengths = [1, 2, 3, 14];
    const wanted = Array.from({ length: 1 + random(12) }, (_, at) =>
      at === 0 && random(2) === 0 ? NEW : String(random(20)).padStart(lengths[random(4)] ?? 1, "0"),
    );
    const given = versionsFor(wanted);
    expect(given).toEqual([...new Set(given)].sort());
    for (const [at, version] of given.entries()) {
      const [before, isNew] = [given[at - 1], version !== wanted[at] || given[at - 1] !== wanted[at - 1]];
      if (before !== undefined && isNew) expect(`${before}_` < `${version}_`).toBe(true);
    }
    expect(given.filter((version, at) => version !== wanted[at] && wanted.includes(version))).toEqual([]);
  }
});
