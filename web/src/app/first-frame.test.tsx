// @vitest-environment jsdom
/** The first frame has the markup of the app's own loading states. */
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { cardSkeleton } from "../../first-frame.ts";
import { PlanCardSkeleton } from "../features/table/components/plan-card.tsx";

test("a card of the first frame is a card of the loading home screen", () => {
  expect(cardSkeleton).toBe(renderToStaticMarkup(<PlanCardSkeleton />));
});
