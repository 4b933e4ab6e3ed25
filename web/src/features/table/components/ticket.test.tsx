// @vitest-environment jsdom
/** The number of people that one brings, on the ticket. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { sampleMember, samplePlan } from "../../plans/sample-plan.ts";
import { Ticket } from "./ticket.tsx";

afterEach(cleanup);

const ticket = (plus_ones: number) => (
  <QueryClientProvider client={new QueryClient()}>
    <Ticket
      plan={samplePlan({
        status: "confirmed",
        chosen_time_id: "time",
        plan_members: [sampleMember("ana", { rsvp: "going", plus_ones })],
      })}
      me="ana"
      now={Date.parse("2026-11-26T12:00Z")}
      viewerZone="UTC"
      host={false}
      share={null}
    />
  </QueryClientProvider>
);

it("follows the plan, which may be changed on another device", () => {
  const { rerender } = render(ticket(1));
  const bringing = () => screen.getByRole<HTMLSelectElement>("combobox").value;
  expect(bringing()).toBe("1");
  rerender(ticket(3));
  expect(bringing()).toBe("3");
});
