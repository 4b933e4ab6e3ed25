/** The node of a plan that costs most by itself, from Postgres's text. */
import { expect, test } from "vitest";
import { costliestLine } from "../page/sql/plan.ts";

test("it is the one with the most time without its children, times its loops", () => {
  const plan = [
    "Sort  (cost=62.19..63.94 rows=700 width=548) (actual time=9.450..9.452 rows=3 loops=1)",
    "  Sort Key: p.title",
    "  ->  Nested Loop  (cost=10.22..29.11 rows=700 width=548) (actual time=0.256..9.258 rows=3 loops=1)",
    "        ->  Seq Scan on plans p  (cost=0.00..17.00 rows=700 width=48) (actual time=0.077..0.177 rows=30 loops=1)",
    "        ->  Index Scan using users_pkey on users u  (cost=0.15..0.17 rows=1 width=532) (actual time=0.270..0.300 rows=1 loops=30)",
    "              Index Cond: (id = p.host)",
    "Planning Time: 3.898 ms",
  ];
  expect(costliestLine(plan)).toBe(4);
});

test("it goes by the cost where nothing ran", () => {
  expect(
    costliestLine([
      "Delete on plans  (cost=0.00..27.00 rows=0 width=0)",
      "  ->  Seq Scan on plans  (cost=0.00..27.00 rows=1700 width=6)",
    ]),
  ).toBe(1);
  expect(costliestLine(["Planning Time: 3.898 ms"])).toBeUndefined();
});
