// @vitest-environment jsdom
/** A function's refusal, as the person is told it. */
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { planQueries } from "./queries.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([
  [404, { code: "plan_not_found", message: "There is no such plan." }, "You're not on this plan."],
  [500, { code: "unexpected", message: "No suggestions.", id: "1" }, "Something went wrong on our side."],
])("tells a refusal with status %s in the app's words", async (status, body, message) => {
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));
  const read = new QueryClient().fetchQuery({ ...planQueries.suggestions("p"), retry: false });
  await expect(read).rejects.toMatchObject({ message });
});
