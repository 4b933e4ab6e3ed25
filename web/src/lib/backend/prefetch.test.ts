/** Tests prefetch.ts. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Prefetched, prefetchedResponse } from "./prefetch.ts";

const ADDRESS = "https://nosh.example/rest/v1/plans?select=id";
let page: { noshPrefetched?: Prefetched };

beforeEach(() => {
  page = {
    noshPrefetched: {
      token: "anas",
      responses: { [`GET ${ADDRESS}`]: Promise.resolve(new Response("plans")) },
    },
  };
  vi.stubGlobal("window", page);
  // The page has just been opened, however long the tests have been running.
  vi.spyOn(performance, "now").mockReturnValue(0);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("what was asked ahead", () => {
  it("is given once, to the same question of the same person", async () => {
    expect(await (await prefetchedResponse(ADDRESS, undefined, "Bearer anas"))?.text()).toBe("plans");
    expect(await prefetchedResponse(ADDRESS, undefined, "Bearer anas")).toBeUndefined();
  });

  it("stays for the next one when the question is taken back", async () => {
    await expect(prefetchedResponse(ADDRESS, { signal: AbortSignal.abort() }, "Bearer anas")).rejects.toThrow(
      /abort/,
    );
    const first = new AbortController();
    const asking = prefetchedResponse(ADDRESS, { signal: first.signal }, "Bearer anas");
    first.abort();
    const again = prefetchedResponse(ADDRESS, undefined, "Bearer anas");
    await expect(asking).rejects.toThrow(/abort/);
    expect(await (await again)?.text()).toBe("plans");
  });

  it("is nothing for another question", async () => {
    expect(await prefetchedResponse(`${ADDRESS}%2Ctitle`, { method: "GET" }, "Bearer anas")).toBeUndefined();
    expect(await prefetchedResponse(ADDRESS, { method: "POST" }, "Bearer anas")).toBeUndefined();
  });

  it("is nothing for another person, nor for anybody afterwards", async () => {
    expect(await prefetchedResponse(ADDRESS, { method: "GET" }, "Bearer bens")).toBeUndefined();
    expect(await prefetchedResponse(ADDRESS, { method: "GET" }, "Bearer anas")).toBeUndefined();
  });

  it("is nothing once it is old", async () => {
    vi.spyOn(performance, "now").mockReturnValue(10_001);
    expect(await prefetchedResponse(ADDRESS, { method: "GET" }, "Bearer anas")).toBeUndefined();
  });

  it("is told apart by its body, and asked as nobody where nobody is signed in", async () => {
    const address = "https://nosh.example/rest/v1/rpc/preview_invite";
    const answer = Promise.resolve(new Response("preview"));
    page.noshPrefetched = { token: null, responses: { [`POST ${address} {"token":"a"}`]: answer } };
    const asking = (token: string) => ({ method: "POST", body: JSON.stringify({ token }) });
    expect(await prefetchedResponse(address, asking("b"), null)).toBeUndefined();
    expect(await (await prefetchedResponse(address, asking("a"), null))?.text()).toBe("preview");
  });

  it("is nothing when it failed, so that one asks oneself", async () => {
    const failed = Promise.reject<Response>(new TypeError("Failed to fetch"));
    page.noshPrefetched = { token: "anas", responses: { [`GET ${ADDRESS}`]: failed } };
    expect(await prefetchedResponse(ADDRESS, { method: "GET" }, "Bearer anas")).toBeUndefined();
  });

  it("is nothing where the page asked for nothing", async () => {
    delete page.noshPrefetched;
    expect(await prefetchedResponse(ADDRESS, { method: "GET" }, "Bearer anas")).toBeUndefined();
  });
});
