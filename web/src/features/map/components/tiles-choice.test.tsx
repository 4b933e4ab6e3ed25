// @vitest-environment jsdom
/** The choice of street tiles: offered only if the build names a style, off at first, stored on the device. */
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function shown(style: string) {
  vi.stubEnv("VITE_MAP_STYLE_URL", style);
  const { TilesChoice } = await import("./tiles-choice.tsx");
  const choice = await import("../tiles-choice.ts");
  render(<TilesChoice />);
  return choice;
}

test("without a style there is no choice, even if tiles were turned on before", async () => {
  localStorage.setItem("nosh-map-tiles", "on");
  const { usesTiles } = await shown("");
  expect(screen.queryByRole("radio")).toBeNull();
  expect(usesTiles()).toBe(false);
});

test("the choice names the tiles' server, and tiles are used only once they are chosen", async () => {
  const { usesTiles } = await shown("https://tiles.example/style.json");
  expect(usesTiles()).toBe(false);
  expect(screen.getByRole("radio", { name: "Plain" })).toHaveProperty("checked", true);
  await userEvent.click(screen.getByRole("radio", { name: "Streets (from tiles.example)" }));
  expect(usesTiles()).toBe(true);
  await userEvent.click(screen.getByRole("radio", { name: "Plain" }));
  expect(usesTiles()).toBe(false);
});
