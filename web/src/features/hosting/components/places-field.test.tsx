// @vitest-environment jsdom
/** Chosen places stay on offer, also those that the list does not show; a name that is typed and not added is told. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { peopleQueries } from "../../people/queries.ts";
import { placeQueries } from "../../places/queries.ts";
import type { Place } from "../../places/schema.ts";
import { PlacesField } from "./places-field.tsx";

afterEach(cleanup);

it("shows a chosen place that is not among the first of all places, and takes it off again", async () => {
  const { user, onChange } = shown();
  await user.click(screen.getByRole("button", { name: "Where" }));
  expect(screen.getAllByRole("checkbox")).toHaveLength(2);
  await user.click(screen.getByRole("checkbox", { name: "Zero Km" }));
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ places: [], newPlaces: [] });
});

it("tells a name that is typed and neither added nor led to a choice, and keeps it while folded", async () => {
  const { user, onPending } = shown();
  const where = screen.getByRole("button", { name: "Where" });
  await user.click(where);
  await user.type(screen.getByRole("searchbox"), "Curry 36");
  expect(onPending).toHaveBeenLastCalledWith("Curry 36");
  await user.click(where);
  await user.click(where);
  expect(screen.getByRole("searchbox")).toHaveProperty("value", "Curry 36");
  await user.click(screen.getByRole("button", { name: "Add “Curry 36”" }));
  expect(onPending).toHaveBeenLastCalledWith("");
  await user.type(screen.getByRole("searchbox"), "zero km");
  expect(onPending).toHaveBeenLastCalledWith("");
});

function shown() {
  const user = userEvent.setup();
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const place = (id: string, name: string) => ({ id, name }) as Place;
  queries.setQueryData(placeQueries.list({ search: "", diets: [] }).queryKey, [place("near", "Momo Sete")]);
  queries.setQueryData(peopleQueries.startPoint("ana").queryKey, {
    start_latitude: null,
    start_longitude: null,
    start_city: null,
    asked_at: null,
  });
  queries.setQueryData(placeQueries.byId(["far"]).queryKey, [place("far", "Zero Km")]);
  const [onChange, onPending] = [vi.fn(), vi.fn()];
  render(
    <QueryClientProvider client={queries}>
      <PlacesField me="ana" chosen={["far"]} added={[]} onChange={onChange} onPending={onPending} />
    </QueryClientProvider>,
  );
  return { user, onChange, onPending };
}
