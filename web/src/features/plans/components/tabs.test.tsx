// @vitest-environment jsdom
/** The tabs of a plan: roles, the tab order, and the keys of the ARIA pattern. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { Tabs } from "./tabs.tsx";

afterEach(cleanup);

const all = [
  ["when", "When"],
  ["where", "Where"],
  ["chat", "Chat"],
] as const;

function Example() {
  const [selected, setSelected] = useState<(typeof all)[number][0]>("when");
  return (
    <Tabs label="Parts of the plan" tabs={all} selected={selected} onSelect={setSelected}>
      <p>{`shows ${selected}`}</p>
    </Tabs>
  );
}

const selected = () => screen.getByRole("tab", { selected: true }).textContent;

it("labels its panel by the selected tab", async () => {
  render(<Example />);
  expect(screen.getByRole("tablist", { name: "Parts of the plan" })).toBeDefined();
  await userEvent.setup().click(screen.getByRole("tab", { name: "Where" }));
  expect(screen.getByRole("tabpanel", { name: "Where" }).textContent).toBe("shows where");
});

it("is one stop of the Tab key, and the arrows, Home and End select", async () => {
  render(<Example />);
  const user = userEvent.setup();
  await user.tab();
  expect(document.activeElement?.textContent).toBe("When");
  await user.keyboard("{ArrowRight}");
  expect([selected(), document.activeElement?.textContent]).toEqual(["Where", "Where"]);
  await user.keyboard("{End}");
  expect(selected()).toBe("Chat");
  await user.keyboard("{ArrowRight}");
  expect(selected()).toBe("When");
  await user.keyboard("{ArrowLeft}{Home}");
  expect(selected()).toBe("When");
  await user.tab();
  expect(screen.getByRole("tablist").contains(document.activeElement)).toBe(false);
});
