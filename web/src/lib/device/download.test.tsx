// @vitest-environment jsdom
/** The address of a file that is downloaded lasts until the browser has read it. */
import { afterEach, expect, it, vi } from "vitest";
import { download } from "./download.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("keeps the file's address after the click, and gives it up later", () => {
  vi.useFakeTimers();
  URL.createObjectURL = () => "blob:one";
  URL.revokeObjectURL = vi.fn();
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockReturnValue();
  download(new Blob(["{}"]), "export.json");
  expect(clicked.mock.contexts).toMatchObject([{ href: "blob:one", download: "export.json" }]);
  expect(URL.revokeObjectURL).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(URL.revokeObjectURL).toHaveBeenCalledExactlyOnceWith("blob:one");
});
